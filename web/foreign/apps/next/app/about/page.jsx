import Link from "next/link";

export default function About() {
  return (
    <main>
      <h1>About us</h1>
      <p id="about">We have sold tools since spring.</p>
      <Link id="home" href="/">Home</Link>
    </main>
  );
}
