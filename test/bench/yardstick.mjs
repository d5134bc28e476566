// What the service is measured against: bare node:http on the same database, with nothing around it.
//   node yardstick.mjs DATABASE   prints the port it listens on
import { createServer } from 'node:http';

const isOld = Number.parseInt(process.versions.node, 10) < 22;
const { default: Database } = await import(isOld ? 'better-sqlite3-12' : 'better-sqlite3');

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
const fields = [
  'id',
  'userId',
  'exerciseType',
  'exerciseName',
  'date',
  'painBefore',
  'painAfter',
  'effective',
  'notes',
];
const one = db.prepare(`SELECT ${fields} FROM logs WHERE id = ?`);
const many = db
  .prepare(
    `SELECT json_object(${fields.map((field) => `'${field}', ${field}`)}) FROM logs WHERE userId = ? ORDER BY id`,
  )
  .pluck();
const insert = db.prepare(
  `INSERT INTO logs (${fields.slice(1)}) VALUES (${fields.slice(1).map((field) => `@${field}`)})`,
);

const store = (record) => insert.run({ ...record, effective: Number(record.effective) }).lastInsertRowid;

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const record = JSON.parse(text);
      // What is stored nowhere shows how fast any server on node:http can be.
      const id = request.url === '/nothing' ? 1 : store(record);
      send(response, 201, JSON.stringify({ id, ...record }));
    });
    return;
  }
  const [path, query] = request.url.split('?userId=');
  const body = query
    ? `[${many.all(Number.parseInt(query, 10)).join(',')}]`
    : JSON.stringify(one.get(Number(path.split('/')[2])));
  send(response, 200, body);
});

function send(response, status, body) {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
