import Koa from 'koa'
import { Pool } from 'pg'

/**
 * The floor under reads and lists: Koa, a pool, and the statements that ours sends, their rows answered as they come.
 * `/0`, `/1` … are the lists of statements that the parent process tells. `node bare.ts <port> <database url>`.
 */
const [port, connectionString] = process.argv.slice(2)
const pool = new Pool({ connectionString: connectionString!, max: 20 })
let kinds: string[][] = []

process.on('message', (told: string[][]) => {
  kinds = told
  process.send?.('ready')
})

const app = new Koa()
app.use(async ctx => {
  const statements = kinds[Number(ctx.path.slice(1))] ?? []
  const answers = await Promise.all(statements.map(statement => pool.query(statement)))
  ctx.body = answers.map(({ rows }) => rows)
})
app.listen(Number(port), '127.0.0.1')
