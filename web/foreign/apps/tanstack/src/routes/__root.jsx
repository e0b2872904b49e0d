import { createRootRoute, HeadContent, Outlet, Scripts } from "@tanstack/react-router";

export const Route = createRootRoute({
  head: () => ({
    meta: [{ charSet: "utf-8" }, { title: "Garden" }],
    links: [{ rel: "icon", href: "data:," }],
  }),
  component: Root,
});

function Root() {
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <div id="top">The garden shop</div>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
