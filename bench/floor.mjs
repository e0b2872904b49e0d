// A small service that stores events: Node's own HTTP server, a pool of PostgreSQL connections, one durable INSERT per
// event. Prints `ready http://ADDRESS`. DATABASE_URL names an empty database.

import { createServer } from "node:http";
import { createRequire } from "node:module";

// The environment variable MODULES names the folder of the package.
const { Pool } = createRequire(`${process.env.MODULES}/`)("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const insert = {
  name: "insert",
  text: "INSERT INTO event (id, visitor, type, at, body) VALUES ($1, $2, $3, $4, $5)",
};

await pool.query(
  "CREATE TABLE event (id uuid, visitor text, type text, at timestamptz, received_at timestamptz DEFAULT now(), body jsonb)",
);

async function keep({ visitor, events }) {
  await Promise.all(
    events.map((event) => pool.query({ ...insert, values: [event.id, visitor.id, event.type, event.at, event] })),
  );
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    try {
      await keep(JSON.parse(Buffer.concat(chunks)));
      response.setHeader("Content-Type", "application/json").end('{"success":true}');
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}`));
