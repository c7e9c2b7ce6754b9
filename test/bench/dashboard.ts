import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { waitUntilReady } from '../../packages/dev/services/startup.ts'
import { addUser } from '../../src/admin/users.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { createBrowser } from '../http/support/browser.ts'
import { spawnProgram, stopProcess } from '../support/second-processes.ts'
import { type Figures, formatTable, type Goal, quantile } from './figures.ts'
import type { Bench } from './main.ts'
import { type SeededAccount, seedAccount } from './seeded-account.ts'

const CHARGES = 100_000
const MOST_MS = 50
/** Per page; the median counts. */
const RUNS = 15
const PASSWORD = 'a long enough password'
const [MERCHANT, OPERATOR] = ['merchant@bench.test', 'operator@bench.test']

/** The time that the server takes for each page of the dashboard, with 100,000 charges of one account. */
export async function dashboard({ site }: Bench): Promise<Partial<Figures>> {
  const world = await seedAccount(
    { databaseUrl: site.local.database_url, sealer: site.stage.seal },
    { name: 'bench_dashboard', charges: CHARGES },
  )
  const port = await reserveFreePort()
  const url = `http://127.0.0.1:${port.port}`
  const server = spawnProgram('src/server.ts', {
    ...site.environment,
    DATABASE_URL: world.databaseUrl,
    PORT: String(port.port),
    TRILHO_PUBLIC_URL: url,
  })
  try {
    await waitUntilReady(url, AbortSignal.timeout(120_000))
    const pages = await measurePages(url, world)
    return {
      notes: [formatTable(pages.map(({ what, ...figures }) => ({ page: what, ...figures })))],
      goals: pages.map(
        ({ what, ms }): Goal => ({ what: `page: ${what}, median`, is: ms, atMost: MOST_MS, unit: 'ms' }),
      ),
    }
  } finally {
    await stopProcess(server)
    await port.release()
  }
}

type PageTime = { what: string; ms: number; 'of it PostgreSQL': number; kB: number }

/** Reads each page several times, one after the other, by the server's own clock (`Server-Timing`). */
async function measurePages(url: string, world: SeededAccount): Promise<PageTime[]> {
  const known = await prepareUsers(world)
  const [merchant, operator] = [createBrowser({ server: { url } }), createBrowser({ server: { url } })]
  await merchant.signIn(MERCHANT, PASSWORD)
  await operator.signIn(OPERATOR, PASSWORD)
  const times: PageTime[] = []
  for (const [browser, pages] of [
    [merchant, merchantPages(world, known)],
    [operator, OPERATOR_PAGES],
  ] as const)
    for (const [what, path] of Object.entries(pages)) {
      const runs: { total: number; db: number; bytes: number }[] = []
      for (let run = 0; run <= RUNS; run += 1) {
        const { status, headers, text } = await browser.get(path)
        const [, total, db] =
          /^total;dur=([\d.]+), db;dur=([\d.]+)$/.exec(headers.get('server-timing') ?? '') ?? []
        if (status !== 200 || !total) throw new Error(`${path} was answered ${status}`)
        runs.push({ total: Number(total), db: Number(db), bytes: Buffer.byteLength(text) })
      }
      const medianOf = (figure: keyof (typeof runs)[number]) =>
        quantile(
          runs
            .slice(1) // The first read prepares its statements.
            .map(run => run[figure])
            .toSorted((a, b) => a - b),
          0.5,
        )
      times.push({
        what,
        ms: medianOf('total'),
        'of it PostgreSQL': medianOf('db'),
        kB: medianOf('bytes') / 1_000,
      })
    }
  return times
}

type KnownRows = Record<
  'charge' | 'external_ref' | 'end_to_end' | 'transfer' | 'dispute' | 'event' | 'day',
  string
>

/** Adds a merchant and an operator, and finds rows from the middle of the lists. */
async function prepareUsers({ databaseUrl, accountUuid, charges }: SeededAccount): Promise<KnownRows> {
  const orm = await openOrm({ databaseUrl, poolSize: 1 })
  try {
    const em = orm.em.fork()
    await addUser(em, { email: MERCHANT, password: PASSWORD, accountUuid })
    await addUser(em, { email: OPERATOR, password: PASSWORD, accountUuid: null })
    const middleOf = (table: string, rest = '', share = 1) =>
      `(select uuid from ${table} ${rest} order by created_at offset ${Math.floor((charges * share) / 3)} limit 1)`
    const [known] = await em.execute<[KnownRows]>(
      `select c.uuid as charge, c.external_ref, c.end_to_end, to_char(c.created_at, 'YYYY-MM-DD') as day,
         ${middleOf('transfer')} as transfer, ${middleOf('event')} as event, ${middleOf('dispute', '', 0.005)} as dispute
       from charge c where uuid = ${middleOf('charge', "where state = 'paid'", 0.5)}`,
    )
    return known
  } finally {
    await orm.close()
  }
}

function merchantPages({ webhook, connections }: SeededAccount, known: KnownRows): Record<string, string> {
  const { charge, external_ref, end_to_end, transfer, dispute, event, day } = known
  const list = (path: string, query: Record<string, string>) =>
    `/dashboard/${path}?${new URLSearchParams(query)}`
  const search = (q: string) => list('search', { q })
  return {
    overview: '/dashboard',
    charges: '/dashboard/charges',
    'charges, page 1000': list('charges', { page: '1000' }),
    'charges, PAID': list('charges', { status: 'PAID' }),
    'charges, PROCESSING (rare)': list('charges', { status: 'PROCESSING' }),
    'charges of a day': list('charges', { date_from: day, date_to: day }),
    'charges of a value': list('charges', { value_min: '10', value_max: '100' }),
    'charges of a provider, FAILED': list('charges', {
      provider_uuid: connections.at(-1)!,
      status: 'FAILED',
    }),
    'charges of a reference': list('charges', { external_ref }),
    'a charge': `/dashboard/charges/${charge}`,
    'new charge': '/dashboard/charges/new',
    transfers: '/dashboard/transfers',
    'transfers, PROCESSING (rare)': list('transfers', { status: 'PROCESSING' }),
    'transfers of a day': list('transfers', { date_from: day, date_to: day }),
    'a transfer': `/dashboard/transfers/${transfer}`,
    'new transfer': '/dashboard/transfers/new',
    disputes: '/dashboard/disputes',
    'disputes, open': list('disputes', { open: 'true' }),
    'a dispute': `/dashboard/disputes/${dispute}`,
    unmatched: '/dashboard/unmatched',
    statement: '/dashboard/ledger',
    'statement of a day': list('ledger', { date_from: day, date_to: day }),
    'statement, FEE': list('ledger', { type: 'FEE' }),
    'statement, page 1000': list('ledger', { page: '1000' }),
    'search: a reference': search(external_ref),
    'search: an end-to-end id': search(end_to_end),
    'search: the beginning of an id': search(charge.slice(0, 8)),
    'search: a frequent name': search('Maria'),
    'search: a rare name': search('Zuleica'),
    'search: a document': search('529.982.247-25'),
    'search: an amount': search('10,00'),
    'search: nothing': search('nothing of this name'),
    webhooks: '/dashboard/webhooks',
    'a webhook': `/dashboard/webhooks/${webhook}`,
    'a webhook, FAILED': `/dashboard/webhooks/${webhook}?status=FAILED`,
    events: '/dashboard/events',
    'an event': `/dashboard/events/${event}`,
    keys: '/dashboard/keys',
    providers: '/dashboard/providers',
    tokens: '/dashboard/tokens',
  }
}

const OPERATOR_PAGES = {
  'operator: first page': '/dashboard/operator',
  ...Object.fromEntries(
    [
      ...['unknown', 'stuck', 'webhooks', 'unmatched', 'unexpected', 'differences', 'entries', 'answers'],
      ...['providers', 'acts', 'accounts'],
    ].map(name => [`operator: ${name}`, `/dashboard/operator/${name}`]),
  ),
  'operator: accounts by name': '/dashboard/operator/accounts?q=padaria',
}
