import { Shop } from "../components/shop.jsx";

const delivered = () => new Promise((done) => setTimeout(done, 100, "Delivered in three days"));

export default function Page() {
  return <Shop delivery={delivered()} />;
}

export const getConfig = () => ({ render: "dynamic" });
