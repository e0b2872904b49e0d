import { createFileRoute, Link } from "@tanstack/react-router";
import { About } from "../../Garden.jsx";

export const Route = createFileRoute("/about")({ component: () => <About Link={Link} /> });
