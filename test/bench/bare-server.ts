import Koa from 'koa'
import { Pool } from 'pg'

/**
 * The floor under reads, lists and look-ups: Koa, a pool, and the statements that ours sends, their rows answered unchanged.
 * `/0`, `/1` … are the lists of statements that the parent process gives, which PostgreSQL parses and plans each time,
 * as for any handler that does nothing but query; `/0/kept` … prepares them once per connection, as ours does. `node
 * bare.ts <port> <database url>`.
 */
const [port, connectionString] = process.argv.slice(2)
const pool = new Pool({ connectionString: connectionString!, max: 20 })
let statementLists: string[][] = []

process.on('message', (told: string[][]) => {
  statementLists = told
  process.send?.('ready')
})

const app = new Koa()
app.use(async ctx => {
  const [, kind, kept] = ctx.path.split('/')
  const statements = statementLists[Number(kind)] ?? []
  const named = (text: string, place: number) => ({ name: `${kind}/${place}`, text })
  const answers = await Promise.all(
    statements.map((text, place) => pool.query(kept ? named(text, place) : text)),
  )
  ctx.body = answers.map(({ rows }) => rows)
})
app.listen(Number(port), '127.0.0.1')
