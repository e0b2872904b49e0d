import { createFileRoute, Link } from "@tanstack/react-router";
import { delivered, Garden } from "../../Garden.jsx";

export const Route = createFileRoute("/")({
  loader: () => ({ delivery: delivered() }),
  component: Shop,
});

function Shop() {
  return <Garden Link={Link} delivery={Route.useLoaderData().delivery} />;
}
