import { Link } from "react-router";
import { delivered, Garden } from "../Garden.jsx";

export const loader = () => ({ delivery: delivered() });

export default function Shop({ loaderData }) {
  return <Garden Link={Link} delivery={loaderData.delivery} />;
}
