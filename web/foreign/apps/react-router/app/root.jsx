import { Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router";

export const meta = () => [{ title: "Garden" }];
export const links = () => [{ rel: "icon", href: "data:," }];

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <Meta />
        <Links />
      </head>
      <body>
        <div id="top">The garden shop</div>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function Root() {
  return <Outlet />;
}
