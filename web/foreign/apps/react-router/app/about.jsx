import { Link } from "react-router";
import { About } from "../Garden.jsx";

export default function Page() {
  return <About Link={Link} />;
}
