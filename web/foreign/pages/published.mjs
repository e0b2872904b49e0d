// Pages as published on npm by their authors, file for file.

import { readFileSync } from "node:fs";

const openapi = readFileSync(new URL("../../../contract/openapi.json", import.meta.url), "utf8");

const loaded = () => document.readyState === "complete";

export const pages = [
  {
    name: "Agency (Start Bootstrap)",
    folder: "startbootstrap-agency/dist",
    ready: loaded,
    arms: {
      words: {
        data: [
          { target: ".masthead-subheading", innerText: "We build shops that load fast" },
          { target: "#services h4", innerText: "Three things we do" },
        ],
      },
      look: {
        data: [
          { target: ".section-heading", style: "letter-spacing: 2px" },
          { target: ".portfolio-item .img-fluid", src: "assets/img/portfolio/3.jpg" },
        ],
      },
      block: {
        data: [
          { refEl: "#team .section-heading", dir: "a", htmlBlock: '<p class="since">Since nineteen ninety-nine</p>' },
        ],
      },
      gone: { data: [{ rm: "#about .section-subheading" }] },
    },
    steps: [
      {
        name: "a project is opened",
        act: { click: ".portfolio-item:nth-of-type(1) .portfolio-link" },
        until: () =>
          document.querySelector("#portfolioModal1.show") &&
          getComputedStyle(document.querySelector("#portfolioModal1")).opacity === "1",
      },
    ],
  },
  {
    name: "Landing Page (Start Bootstrap)",
    folder: "startbootstrap-landing-page/dist",
    ready: loaded,
    arms: {
      words: {
        data: [{ target: ".masthead h1", innerText: "Generate more leads with a page that is read to its end" }],
      },
      look: {
        data: [
          { target: ".btn-primary", style: "letter-spacing: 1px" },
          { target: ".features-icons h3", class: "chosen" },
        ],
      },
      block: {
        data: [{ refEl: ".testimonials h2", dir: "b", htmlBlock: '<p class="asked">Nine of ten would come again</p>' }],
      },
    },
  },
  {
    name: "SB Admin 2, dashboard",
    folder: "startbootstrap-sb-admin-2",
    ready: loaded,
    arms: {
      words: { data: [{ target: "#content h1", innerText: "How the shop is doing" }] },
      price: { data: [{ target: ".border-left-primary .h5", innerText: "$52,500" }] },
      look: {
        data: [
          { target: ".card-header h6", style: "letter-spacing: 1px" },
          { target: ".sidebar-brand-text", class: "chosen" },
        ],
      },
      block: {
        data: [{ refEl: ".bg-primary .text-white-50", dir: "a", htmlBlock: "<small>The first of the colours</small>" }],
      },
    },
    steps: [
      {
        name: "the side bar is closed",
        act: { click: "#sidebarToggle" },
        until: () => document.querySelector(".sidebar.toggled"),
      },
      {
        name: "and opened",
        act: { click: "#sidebarToggle" },
        until: () => !document.querySelector(".sidebar.toggled"),
      },
    ],
  },
  {
    name: "SB Admin 2, DataTables",
    folder: "startbootstrap-sb-admin-2",
    path: "/tables.html",
    ready: () => document.querySelector("#dataTable_paginate") && document.readyState === "complete",
    arms: {
      words: { data: [{ target: "h1.h3", innerText: "Who works for us" }] },
      price: { data: [{ target: "#dataTable tbody tr:first-child td:last-child", innerText: "Top of the list" }] },
      look: { data: [{ target: "#dataTable td:nth-child(3)", style: "letter-spacing: 1px" }] },
    },
    steps: [
      {
        name: "sorted by age",
        act: { click: "#dataTable thead th:nth-child(4)" },
        until: () => document.querySelector("#dataTable tbody td:nth-child(4)").textContent === "19",
      },
      {
        name: "searched",
        act: { type: ["#dataTable_filter input", "London"] },
        until: () => /12 entries/.test(document.querySelector("#dataTable_info").textContent),
      },
      {
        name: "the next page",
        act: { click: "#dataTable_next a" },
        until: () => document.querySelector("#dataTable_next.disabled"),
      },
    ],
  },
  {
    name: "reveal.js 6, its demo",
    folder: "reveal.js",
    path: "/demo.html",
    ready: () => document.querySelector(".reveal.ready section.present h3") && document.readyState === "complete",
    arms: {
      words: {
        data: [
          { target: ".slides > section:first-of-type h3", innerText: "Slides that people stay for" },
          { target: "section:nth-of-type(2) > h2", innerText: "Good to have you" },
        ],
      },
      look: { data: [{ target: ".slides > section:first-of-type small", style: "letter-spacing: 1px" }] },
    },
    ignore: [".backgrounds", ".slide-number", "video"],
    steps: [
      {
        name: "the next slide",
        act: { press: "ArrowRight" },
        until: () =>
          document.querySelector("section:nth-of-type(2).present h2") && document.getAnimations().length === 0,
      },
      {
        name: "and back",
        act: { press: "ArrowLeft" },
        until: () =>
          document.querySelector(".slides > section:first-of-type.present") && document.getAnimations().length === 0,
      },
    ],
  },
  {
    name: "impress.js 1, its demo",
    folder: "impress.js",
    ready: () => document.querySelector("#bored.active"),
    arms: {
      words: { data: [{ target: "#bored q", innerHTML: "Have you <b>slept</b> through one today?" }] },
      look: { data: [{ target: ".step.slide q", style: "letter-spacing: 1px" }] },
    },
    // The page changes these by itself over time.
    ignore: [".hint", "#impress-toolbar"],
  },
  {
    name: "HTML5 Boilerplate 9",
    folder: "html5-boilerplate/dist",
    ready: loaded,
    arms: { words: { data: [{ target: "body > p", innerText: "Hello, garden! Nothing else is here." }] } },
  },
  {
    name: "Swagger UI 5 (React)",
    folder: "swagger-ui-dist",
    files: {
      "/swagger-initializer.js": `window.onload = () => (window.ui = SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null, presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], plugins: [SwaggerUIBundle.plugins.DownloadUrl], layout: "StandaloneLayout" }));`,
      "/openapi.json": openapi,
    },
    // Only operations that are in view are rendered, so no arm changes the height of what is above them.
    ready: () => document.querySelectorAll(".opblock-summary-path").length > 5,
    arms: {
      words: { data: [{ target: ".info__license a", innerText: "Apache 2, as a choice" }] },
      look: { data: [{ target: ".opblock-summary-method", style: "letter-spacing: 1px" }] },
      block: { data: [{ refEl: ".opblock-tag-section h3 > a", dir: "a", htmlBlock: "<em>Part of the contract</em>" }] },
    },
    steps: [
      {
        name: "a part is closed",
        act: { click: "h3.opblock-tag > small, h3.opblock-tag" },
        until: () => document.querySelector("h3.opblock-tag[data-is-open=false]"),
      },
      {
        name: "and opened",
        act: { click: "h3.opblock-tag[data-is-open=false]" },
        until: () => !document.querySelector("h3.opblock-tag[data-is-open=false]"),
      },
    ],
  },
  {
    name: "RapiDoc 9 (Lit, shadow root)",
    folder: "rapidoc",
    files: {
      "/": '<!doctype html><html><head><meta charset="utf-8"><title>API</title><link rel="icon" href="data:,"><script type="module" src="https://unpkg.com/rapidoc/dist/rapidoc-min.js"></script></head><body><rapi-doc spec-url="/openapi.json" load-fonts="false" render-style="view"></rapi-doc></body></html>',
      "/openapi.json": openapi,
    },
    ready: () => watched.all("rapi-doc >>> .path").length > 20,
    arms: {
      words: { data: [{ target: "rapi-doc >>> #api-title", innerText: "All that can be asked" }] },
      look: { data: [{ target: "rapi-doc >>> .m-endpoint .path", style: "letter-spacing: 1px" }] },
    },
  },
  {
    name: "Redoc 2 (React)",
    files: {
      "/": '<!doctype html><html><head><meta charset="utf-8"><title>API</title><link rel="icon" href="data:,"></head><body><redoc spec-url="/openapi.json" disable-search="true"></redoc><script src="https://unpkg.com/redoc/bundles/redoc.standalone.js"></script></body></html>',
      "/openapi.json": openapi,
    },
    ready: () => document.querySelectorAll("[data-section-id]").length > 20 && document.querySelector(".api-info"),
    arms: {
      words: { data: [{ target: ".api-info h1", innerText: "All that can be asked" }] },
      look: { data: [{ target: "[data-section-id] h2", style: "letter-spacing: 1px" }] },
    },
  },
  {
    name: "Scalar (Vue)",
    files: {
      "/": '<!doctype html><html><head><meta charset="utf-8"><title>API</title><link rel="icon" href="data:,"></head><body><script id="api-reference" data-url="/openapi.json" data-configuration=\'{"withDefaultFonts":false,"telemetry":false,"agent":{"disabled":true}}\'></script><script src="https://cdn.jsdelivr.net/npm/@scalar/api-reference/dist/browser/standalone.js"></script></body></html>',
      "/openapi.json": openapi,
    },
    // The page is rendered in parts. It is ready when the first part, which is open, and the last, which is closed, are
    // there.
    ready: () =>
      document.querySelectorAll("h3").length > 8 &&
      [...document.querySelectorAll("h2")].some((each) => each.textContent.includes("Models")),
    arms: {
      words: { data: [{ target: "h1", innerText: "All that can be asked" }] },
      look: { data: [{ target: "h2", style: "letter-spacing: 1px" }] },
    },
    // Example responses contain the current time.
    ignore: ["pre"],
  },
];
