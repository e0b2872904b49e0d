export default function Layout({ children }) {
  return (
    <>
      <title>Garden</title>
      <link rel="icon" href="data:," />
      <div id="top">The garden shop</div>
      {children}
    </>
  );
}
