import { About } from "../components/shop.jsx";

export default function Page() {
  return <About />;
}

export const getConfig = () => ({ render: "dynamic" });
