import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type DemoOptions, setUpDemo } from '../../packages/dev/demo/demo.ts'
import { openSimulatorFixture, type SimulatorFixture } from '../simulator/support/simulator-fixture.ts'
import { openTestOrm } from '../support/orm.ts'
import { startPostgres } from '../support/postgres.ts'

/** A first start that fails half-way, and the next one: the demo account is complete. */

let stack: SimulatorFixture
let postgres: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  stack = await openSimulatorFixture()
  postgres = await startPostgres()
})
afterAll(async () => {
  await stack?.close()
  await postgres?.stop()
})

const unreachable: Changes = () => ({ publicUrl: 'http://trilho.example:3000' })
const incomplete: Changes = ({ simulator }) => {
  const { PROVIDER_D: _, ...providers } = simulator.providers
  return { simulator: { ...simulator, providers } as DemoOptions['simulator'] }
}
type Changes = (options: DemoOptions) => Partial<DemoOptions>

test.each([
  ['a provider refuses to register the notification address', unreachable],
  ['it dies before its last connection is stored', incomplete],
])('when %s, the next start completes the demo', async (_, changes) => {
  const databaseUrl = await database()
  const options: DemoOptions = {
    databaseUrl,
    simulator: stack.facts,
    publicUrl: 'http://127.0.0.1:3000',
    secretKeys: `a:${Buffer.alloc(32, 7).toString('base64')}`,
  }
  await expect(setUpDemo({ ...options, ...changes(options) })).rejects.toThrow()
  const { account_uuid, providers, recipient_accounts } = await setUpDemo(options)

  const connections = Object.values(providers).map(({ uuid }) => uuid)
  expect(await defaultsOf(account_uuid)).toEqual(connections)
  for (const { uuid } of recipient_accounts) expect(await defaultsOf(uuid)).toHaveLength(4)
  const funded = `select count(*)::int as count from balance
    where account_uuid = ? and bucket = 'available' and cents = 100000000`
  expect(await sql(funded, [account_uuid])).toEqual([{ count: 4 }])

  async function defaultsOf(uuid: string) {
    const order = 'select connection_uuid from default_provider where account_uuid = ? order by position'
    return (await sql<{ connection_uuid: string }>(order, [uuid])).map(row => row.connection_uuid)
  }
  async function sql<Row extends object>(query: string, values: unknown[]): Promise<Row[]> {
    const orm = await openTestOrm({ databaseUrl })
    return orm.em
      .fork()
      .execute<Row[]>(query, values)
      .finally(() => orm.close())
  }
})

let databases = 0
/** An empty one of its own. */
async function database(): Promise<string> {
  const url = new URL(postgres.url)
  const orm = await openTestOrm({ databaseUrl: url.href })
  const name = `demo_${++databases}`
  await orm.em.fork().execute(`create database ${name}`)
  await orm.close()
  url.pathname = `/${name}`
  return url.href
}
