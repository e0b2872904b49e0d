// TodoMVC: the same to-do list with several frameworks, as written in 2014 and with the libraries of that time.

import { readFileSync } from "node:fs";

/** A condition for the page: this number of items is visible. */
const seen = (count) =>
  `[...document.querySelectorAll("#todo-list li")].filter((each) => each.checkVisibility()).length === ${count}`;

const added = (text, count) => [
  { name: `${text}, typed`, act: { type: ["#new-todo", text] } },
  { name: text, act: { press: "Enter" }, until: seen(count) },
];

/** The block is inserted after `near`. */
const todo = (name, folder, { near = "#todo-count", lent = {} } = {}) => ({
  name: `TodoMVC, ${name}`,
  folder: "todomvc",
  // On the project's own site this file adds a panel next to the list, which would move the list at an unpredictable
  // time.
  files: { "/learn.json": "{}", ...lent },
  path: `/examples/${folder}/`,
  arms: {
    heading: { data: [{ target: "#header h1", innerText: "today" }] },
    // The first item changes with the filter. Its element is then another, or is reused for another item.
    words: { data: [{ target: "#todo-list li:first-of-type label", innerText: "First of all, tea" }] },
    look: {
      data: [
        { target: "#filters a", style: "letter-spacing: 1px" },
        { target: "#info p", class: "chosen" },
      ],
    },
    block: { data: [{ refEl: near, dir: "a", htmlBlock: "<em>Nearly there</em>" }] },
  },
  ready: () => document.querySelector("#new-todo") && document.readyState === "complete",
  steps: [
    ...added("Sow beans", 1),
    ...added("Turn the compost", 2),
    ...added("Mend the fence", 3),
    {
      name: "the first is done",
      act: { click: "#todo-list li:first-of-type .toggle" },
      until: () => document.querySelector("#todo-list li.completed"),
    },
    { name: "what is left", act: { click: '#filters a[href$="active"]' }, until: seen(2) },
    { name: "what is done", act: { click: '#filters a[href$="completed"]' }, until: seen(1) },
    { name: "back", act: { back: true }, until: seen(2) },
    { name: "all", act: { click: "#filters li:first-child a" }, until: seen(3) },
    { name: "done is gone", act: { click: "#clear-completed" }, until: seen(2) },
  ],
});

/**
 * For frameworks that insert a child by its index among the existing nodes: a block before it would shift the index.
 */
const BELOW = "#info p:last-child a";

/** Files that the package lacks for one example, from other examples. */
const lent = Object.fromEntries(
  [
    ["emberjs", "todomvc-common/base.css"],
    ["emberjs", "todomvc-common/base.js"],
    ["emberjs", "jquery/dist/jquery.js"],
    ["emberjs", "handlebars/handlebars.js"],
    ["react", "director/build/director.js"],
  ].map(([from, path]) => [
    `/examples/jquery/bower_components/${path}`,
    () => readFileSync(new URL(`../node_modules/todomvc/examples/${from}/bower_components/${path}`, import.meta.url)),
  ]),
);

export const pages = [
  todo("React 0.12", "react", { near: BELOW }),
  todo("Ember 1.6", "emberjs"),
  todo("AngularJS 1.3", "angularjs"),
  todo("Backbone 1.1", "backbone"),
  todo("Marionette", "backbone_marionette"),
  todo("jQuery 2, Handlebars", "jquery", { lent }),
  todo("Ractive", "ractive"),
  todo("Mithril", "mithril", { near: BELOW }),
  todo("no framework", "vanillajs"),
];
