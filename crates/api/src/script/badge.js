"use strict";(()=>{var{global:l="",test:n,arm:r=""}=document.currentScript.dataset,a=document.createElement("div"),d=a.attachShadow({mode:"closed"}),i=new CSSStyleSheet;i.replaceSync(`
  :host { all: initial; position: fixed; inset: auto 16px 16px auto; z-index: 2147483647; }
  div { display: flex; gap: 12px; align-items: center; padding: 8px 8px 8px 16px; border-radius: 8px;
        font: 14px/20px system-ui, sans-serif; color: #fff; background: #1d2433; box-shadow: 0 2px 12px #0006; }
  button { font: inherit; color: inherit; background: #ffffff26; border: 0; border-radius: 6px; padding: 6px 12px; cursor: pointer; }
  button:hover { background: #ffffff40; }
  button:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }
`);d.adoptedStyleSheets=[i];var t=document.createElement("div");t.setAttribute("role","status");var c=document.createElement("span");c.textContent=n?`Preview of experiment ${n}: ${r==="0"?"Control":`Variant ${r}`}. Nothing is recorded.`:"This preview link has expired or is damaged.";var o=document.createElement("button");o.textContent="End preview";o.addEventListener("click",()=>{sessionStorage.removeItem(`${l}_p`);let e=new URL(location.href);for(let p of["test-preview","test-variant","test-token"])e.searchParams.delete(p);e.href===location.href?location.reload():location.replace(e.href)});t.append(c,o);d.append(t);var s=()=>document.body.append(a);document.body?s():document.addEventListener("DOMContentLoaded",s);})()
