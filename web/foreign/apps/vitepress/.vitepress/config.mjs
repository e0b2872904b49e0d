export default {
  title: "Garden",
  head: [["link", { rel: "icon", href: "data:," }]],
  themeConfig: {
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "How to sharpen", link: "/guide/sharpen" },
          { text: "How to store", link: "/guide/store" },
        ],
      },
    ],
  },
};
