// Takes the events of a treasury: npm install standardwebhooks
// WEBHOOK_SECRET=whsec_... PORT=3000 node webhook-receiver.js
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET, PORT = '3000' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const done = new Set(); // In a database: kept in the same commit as what is done.

const take = ({ type, data }) => {
  if (done.has(data.id)) return; // Every event comes at least once.
  done.add(data.id);
  console.log(`${data.sequence} ${type} ${data.subject?.label ?? ''}`.trim());
};

createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    take(webhook.verify(Buffer.concat(chunks).toString(), request.headers)); // Who signed it, and when.
    response.writeHead(204).end(); // Soon: what takes long is done afterwards.
  } catch (error) {
    response.writeHead(400).end(error.message); // It is sent again.
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${PORT}`));
