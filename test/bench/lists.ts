import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { waitUntilReady } from '../../packages/dev/services/startup.ts'
import { listCharges, requireVisibleCharge } from '../../src/api/operations/charges.ts'
import { chargesQuery } from '../../src/contract/charges/charge.ts'
import type { EntityManager, Orm } from '../../src/db/client/orm.ts'
import { type CapturedMessages, openCapturedOrm } from '../http/support/postgres-messages.ts'
import { spawnProgram, stopProcess } from '../support/second-processes.ts'
import { openBareServer } from './bare-handler.ts'
import { measureInTurns } from './callers.ts'
import { type Figures, formatTable, type Goal, quantile, type Speed } from './figures.ts'
import { buildListCases, type ListCase } from './list-queries.ts'
import type { Bench } from './main.ts'
import { type SeededAccount, seedAccount } from './seeded-account.ts'

const FEW = 1_000
const CALLERS = 16
const LIST = 'list of 20'
/** Per statement; the median counts. */
const RUNS = 5
/** Differences below a millisecond are not measurable. */
const MIN_MS = 1
const OTHER_TOTAL_MS = 300
const DONE_DAYS_PAGE_MS = 300
/** Of a page without `per_page`. */
const ROWS_PER_PAGE = 15

/** Every list with a thousand charges and with very many: its rows, its total; and reads beside a bare handler. */
export async function lists(bench: Bench): Promise<Partial<Figures>> {
  const { site, rows, say } = bench
  const server = { databaseUrl: site.local.database_url, sealer: site.stage.seal }
  const few = await seedAccount(server, { name: 'bench_few', charges: FEW })
  const many = await seedAccount(server, { name: 'bench_many', charges: rows })
  say(
    `a thousand charges are written in ${few.perThousandMs.toFixed(0)} ms, the last of ${rows} in ${many.perThousandMs.toFixed(0)}`,
  )
  const [small, large] = [await measureLists(few), await measureLists(many)]
  const compared = large.map((one, place) => ({ ...one, small: small[place]! }))
  const notes = formatTable(
    compared.flatMap(({ what, isTallied: _, isByDoneDays: _isByDoneDays, ...times }) => {
      const { small, ...large } = times
      return [
        { list: what, rows: FEW, ...roundTimes(small) },
        { list: '', rows, ...roundTimes(large) },
      ]
    }),
  )
  const goals = compared.flatMap(({ what, isTallied, isByDoneDays, small, ...large }): Goal[] => [
    ...CURSOR_PLACES.map(place =>
      isByDoneDays
        ? {
            what: `${what}, ${place} page by cursor`,
            is: large[place],
            atMost: DONE_DAYS_PAGE_MS,
            unit: 'ms',
          }
        : {
            what: `${what}, ${place} page by cursor, ${rows} charges ÷ ${FEW}`,
            is: large[place] / Math.max(small[place], MIN_MS),
            atMost: 2,
          },
    ),
    isTallied
      ? {
          what: `total of ${what}, ${rows} charges ÷ ${FEW}`,
          is: large.total / Math.max(small.total, MIN_MS),
          atMost: 2,
        }
      : { what: `total of ${what}`, is: large.total, atMost: OTHER_TOTAL_MS, unit: 'ms' },
  ])
  const reading = await compareWithBareServer(bench, many)
  return { ...reading, notes: [notes], goals: [...goals, ...reading.goals] }
}

const CURSOR_PLACES = ['first', 'middle', 'last'] as const
/** Milliseconds of the pages by cursor, of the total that a numbered page has, and of the rows of the page half way. */
type ListTimes = Pick<ListCase, 'what' | 'isTallied' | 'isByDoneDays'> &
  Record<(typeof CURSOR_PLACES)[number] | 'total' | 'pageHalfWay', number>

function roundTimes({
  first,
  middle,
  last,
  total,
  pageHalfWay,
}: Omit<ListTimes, 'what' | 'isTallied' | 'isByDoneDays'>) {
  return {
    'first ms': first,
    'middle ms': middle,
    'last ms': last,
    'total ms': total,
    'page half way ms': pageHalfWay,
  }
}

/** PostgreSQL's time for each list, by its own clock: the rest of a list's cost is the same for any number of rows. */
async function measureLists(world: SeededAccount): Promise<ListTimes[]> {
  // A page half way takes longer than its total may wait for a connection, and than a request may.
  const options = { poolSize: 2, statementMs: null }
  const { orm, captured: wire, close } = await openCapturedOrm(world.databaseUrl, options)
  try {
    const times: ListTimes[] = []
    for (const { what, isTallied, isByDoneDays, list } of await buildListCases(orm.em.fork(), world)) {
      const capture = (place: Parameters<typeof list>[1]) =>
        captureStatements(orm, wire, async em => (await list(em, place)).meta)
      const measure = async ({ statements }: { statements: string[] }, runs = RUNS) => {
        let ms = 0
        for (const statement of statements) ms += await measureMedianMs(orm.em.fork(), statement, runs)
        return ms
      }
      const { statements, result } = await capture({})
      const lastPage = Math.ceil(result.total! / ROWS_PER_PAGE)
      const half = await capture({ page: String(Math.max(1, Math.floor(lastPage / 2))) })
      const { result: beforeLast } = await capture({ page: String(Math.max(1, lastPage - 1)) })
      times.push({
        what,
        isTallied,
        isByDoneDays,
        first: await measure(await capture({ cursor: '' })),
        middle: await measure(await capture({ cursor: half.result.next_cursor ?? '' })),
        last: await measure(await capture({ cursor: beforeLast.next_cursor ?? '' })),
        total: await measure({ statements: statements.filter(isTotalStatement) }),
        pageHalfWay: await measure({ statements: half.statements.filter(one => !isTotalStatement(one)) }, 1),
      })
    }
    return times
  } finally {
    await close()
  }
}

/** The statements of a read, with their values, and its result. */
async function captureStatements<Result>(
  orm: Orm,
  wire: CapturedMessages,
  read: (em: EntityManager) => Promise<Result>,
): Promise<{ statements: string[]; result: Result }> {
  wire.forget()
  const result = await read(orm.em.fork())
  const sent = wire.statements.filter(statement => /^\s*(select|with)/i.test(statement))
  if (sent.length === 0) throw new Error('the statements of this read were not captured')
  return { statements: sent, result }
}

function isTotalStatement(statement: string): boolean {
  return /^\s*select (count|coalesce\(sum)/i.test(statement)
}

async function measureMedianMs(em: EntityManager, statement: string, runs: number): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const [explained] = await em.execute<{ 'QUERY PLAN': { 'Execution Time': number }[] }[]>(
      `explain (analyze, timing off, format json) ${statement}`,
    )
    times.push(explained!['QUERY PLAN'][0]!['Execution Time'])
  }
  return quantile(
    times.toSorted((a, b) => a - b),
    0.5,
  )
}

/**
 * One charge and the first page of a list over HTTP: ours, and a handler that does nothing else. The time of a handler
 * that prepares its statements is shown beside it, and is no target.
 */
async function compareWithBareServer(
  { site, trilho, baseline, seconds }: Bench,
  many: SeededAccount,
): Promise<Pick<Figures, 'speeds' | 'goals' | 'comparisons'>> {
  const { orm, captured: wire, close } = await openCapturedOrm(many.databaseUrl)
  const token = { accountUuid: many.accountUuid, connectionUuid: null, modeScope: 'test' } as never
  const [{ uuid }] = await orm.em
    .fork()
    .execute<[{ uuid: string }]>(
      `select uuid from charge where state = 'paid' order by created_at desc limit 1`,
    )
  const page = chargesQuery.parse({ per_page: '20' })
  const kinds = [
    await captureStatements(orm, wire, em => requireVisibleCharge(em, token, uuid)),
    await captureStatements(orm, wire, em => listCharges(em, token, page)),
  ].map(({ statements }) => statements)
  await close()

  const ours = await reserveFreePort()
  const api = spawnProgram('src/server.ts', {
    ...site.environment,
    DATABASE_URL: many.databaseUrl,
    PORT: String(ours.port),
  })
  await using bare = await openBareServer(site, { databaseUrl: many.databaseUrl, statementLists: kinds })
  const url = `http://127.0.0.1:${ours.port}`
  await waitUntilReady(url, AbortSignal.timeout(120_000))
  const [own, floor] = [site.api(url), bare.api]
  const baselineToken = await baseline.createSeededMerchant(many.charges)
  const listOfBaseline = {
    what: 'baseline: list of 20',
    call: () => baseline.api.isOk('/api/v1/payments', baselineToken),
    programs: baseline.programs,
  }
  const speeds: Speed[] = []
  const goals: Goal[] = []
  for (const [what, place, path, atLeast] of [
    ['read a charge', 0, `/api/v1/payments/${uuid}`, 0.6],
    [LIST, 1, '/api/v1/payments?per_page=20', 0.5],
  ] as const) {
    const found = await measureInTurns(
      [
        { what: `floor: bare, ${what}`, call: () => floor.isOk(`/${place}`, '') },
        { what: `bare, statements kept, ${what}`, call: () => floor.isOk(`/${place}/kept`, '') },
        { what: `Trilho: ${what}`, call: () => own.isOk(path, many.token), programs: trilho.programs },
        ...(what === LIST ? [listOfBaseline] : []),
      ],
      { callers: CALLERS, seconds },
    )
    speeds.push(...found)
    goals.push({ what: `${what} ÷ bare`, is: found[2]!.perSecond / found[0]!.perSecond, atLeast })
  }
  const comparison = { what: LIST, ours: speeds.at(-2)!, baseline: speeds.at(-1)! }
  await stopProcess(api)
  await ours.release()
  return { speeds, goals, comparisons: [comparison] }
}
