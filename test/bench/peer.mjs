// node peer.mjs fastify|express|json-server FILE NODE_MODULES: as their own guides show it; prints its address.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [name, file, modules] = process.argv.slice(2);
const FIELDS = [
  'userId',
  'exerciseType',
  'exerciseName',
  'date',
  'painBefore',
  'painAfter',
  'effective',
  'notes',
];

const listening = ({ port }) => console.log(`http://127.0.0.1:${port}`);

if (name === 'json-server') {
  const jsonServer = createRequire(import.meta.url)('json-server');
  const server = jsonServer.create();
  server.use(jsonServer.router(file));
  const http = server.listen(0, '127.0.0.1', () => listening(http.address()));
} else {
  const isOld = Number.parseInt(process.versions.node, 10) < 22;
  const Database = createRequire(join(modules, 'x.js'))(isOld ? 'better-sqlite3-12' : 'better-sqlite3');
  const db = new Database(file);
  db.pragma('synchronous = FULL');
  const one = db.prepare('SELECT * FROM logs WHERE id = ?');
  const many = db.prepare('SELECT * FROM logs WHERE userId = ? ORDER BY id');
  const insert = db.prepare(`INSERT INTO logs (${FIELDS}) VALUES (${FIELDS.map((field) => `@${field}`)})`);
  const shown = (row) => ({ ...row, effective: row.effective === 1 });
  const create = (body) => {
    const { lastInsertRowid } = insert.run({ ...body, effective: Number(body.effective) });
    return { id: lastInsertRowid, ...body };
  };
  if (name === 'fastify') {
    const { default: Fastify } = await import('fastify');
    const app = Fastify();
    app.get('/userExerciseLogs/:id', ({ params }) => shown(one.get(Number(params.id))));
    app.get('/userExerciseLogs', ({ query }) => many.all(Number(query.userId)).map(shown));
    app.post('/userExerciseLogs', ({ body }, reply) => reply.code(201).send(create(body)));
    await app.listen({ port: 0, host: '127.0.0.1' });
    listening(app.server.address());
  } else {
    const { default: express } = await import('express');
    const app = express();
    app.use(express.json());
    app.get('/userExerciseLogs/:id', ({ params }, response) =>
      response.json(shown(one.get(Number(params.id)))),
    );
    app.get('/userExerciseLogs', ({ query }, response) =>
      response.json(many.all(Number(query.userId)).map(shown)),
    );
    app.post('/userExerciseLogs', ({ body }, response) => response.status(201).json(create(body)));
    const http = app.listen(0, '127.0.0.1', () => listening(http.address()));
  }
}
