// Scripts that wrap texts in their own elements: translators, glossaries, animated headings.

/**
 * The way in which such a script changes a text node. Translated text is in `T(…)`.
 *
 * @type {Record<string, (node: any, make: any) => void>}
 */
export const WRAPPERS = {
  "a translator": (node, make) => node.replaceWith(make("font", `T(${node.data})`)),
  "a translator with two elements": (node, make) => {
    const outer = make("font");
    outer.append(make("font", `T(${node.data})`));
    node.parentNode.replaceChild(outer, node);
  },
  "a translator that inserts before it removes": (node, make) => {
    node.before(make("font", `T(${node.data})`));
    node.remove();
  },
  "a script that wraps the text itself": (node, make) => {
    const outer = make("w");
    node.before(outer);
    outer.append(node);
  },
  "a script that wraps each word": (node, make) =>
    node.replaceWith(...node.data.split(/(?<= )/).map((each) => make("w", each))),
  "a script that splits the text": (node, make) => {
    const rest = node.splitText(Math.min(2, node.length));
    for (const part of [node, rest]) {
      const outer = make("w");
      part.before(outer);
      outer.append(part);
    }
  },
};

/** Starts such a script on a page. It wraps texts at once, and whenever there are new ones. */
export function wrapping({ win, make }, wrap) {
  const look = () => {
    const walker = win.document.createTreeWalker(win.document.body, 4);
    const texts = [];
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest("font,w,script")) texts.push(walker.currentNode);
    for (const text of texts) if (text.data.trim()) wrap(text, make);
  };
  look();
  new win.MutationObserver(look).observe(win.document.body, { childList: true, characterData: true, subtree: true });
}

/** A text without the marks of translated text. */
export const untranslated = (text) => text.replace(/T\((.*?)\)/gs, "$1");
