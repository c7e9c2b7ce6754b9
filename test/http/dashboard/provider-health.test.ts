import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import {
  buildProviderHealth,
  findFailingProviders,
} from '../../../src/dashboard/pages/operator/provider-health.ts'
import { countOperatorTasks, createOperatorTaskReader } from '../../../src/dashboard/pages/operator/tasks.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { CallCounts } from '../../../src/db/repositories/provider-health.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, unescapeHtml } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** What operators see of providers that give no useful answer: the strips, the signal, the attempts and the menu. */

const FIRST_AT = '2026-11-30T12:14:00.000Z'

function countsOf(minutes: 15 | 60, counts: Partial<CallCounts> = {}): CallCounts {
  return {
    provider: 'PROVIDER_A',
    isSimulated: false,
    operation: 'issue',
    minutes,
    accepted: 0,
    refused: 0,
    serverErrors: 0,
    timeouts: 0,
    otherFailures: 0,
    medianMs: null,
    firstAt: FIRST_AT,
    failedInARow: 0,
    failingSince: null,
    failedConnections: [],
    ...counts,
  }
}

describe('a provider is failing', () => {
  const failing = (quarter: Partial<CallCounts>, hour: Partial<CallCounts>) =>
    findFailingProviders([countsOf(15, quarter), countsOf(60, hour)]).map(({ failed, calls, since }) => ({
      failed,
      calls,
      since,
    }))
  const since = '2026-11-30T11:30:00.000Z'

  test.each([
    [
      'whose latest five orders had no useful answer, since the first of them',
      [{ serverErrors: 2 }, { accepted: 9, serverErrors: 5, failedInARow: 5, failingSince: since }],
      [{ failed: 5, calls: 5, since }],
    ],
    [
      'that gave none to half of at least ten orders of a quarter of an hour',
      [
        { accepted: 4, refused: 1, timeouts: 5 },
        { accepted: 40, refused: 1, timeouts: 5 },
      ],
      [{ failed: 5, calls: 10, since: FIRST_AT }],
    ],
    [
      'not while four orders in a row had none',
      [{ serverErrors: 4 }, { serverErrors: 4, failedInARow: 4, failingSince: since }],
      [],
    ],
    [
      'not while most orders have one',
      [
        { accepted: 6, timeouts: 5 },
        { accepted: 6, timeouts: 5 },
      ],
      [],
    ],
    ['not by documented refusals', [{ refused: 20 }, { refused: 20 }], []],
  ] as const)('%s', (_, [quarter, hour], expected) => {
    expect(failing(quarter, hour)).toEqual(expected)
  })

  test('not by orders of more than a quarter of an hour ago', () => {
    const hour = countsOf(60, { serverErrors: 9, failedInARow: 9, failingSince: since })
    expect(findFailingProviders([hour])).toEqual([])
  })

  test('whatever its other mode and its other orders do', () => {
    const failed = { serverErrors: 5, failedInARow: 5, failingSince: since, failedConnections: ['c'] }
    const counts = [15, 60].flatMap(minutes => [
      countsOf(minutes as 15, { accepted: 50, isSimulated: true }),
      countsOf(minutes as 15, { accepted: 50, operation: 'transfer' }),
      countsOf(minutes as 15, failed),
    ])
    expect(findFailingProviders(counts)).toMatchObject([
      { provider: 'PROVIDER_A', isSimulated: false, operation: 'issue', failed: 5, connection: 'c' },
    ])
  })
})

test('the share of useful answers is of all kinds of orders, and of a provider without an active connection too', () => {
  const counts = [
    countsOf(15, { accepted: 2, serverErrors: 1, medianMs: 300 }),
    countsOf(15, { operation: 'transfer', refused: 1, medianMs: 7_000 }),
  ]
  expect(buildProviderHealth(counts, [])).toMatchObject([
    {
      provider: 'PROVIDER_A',
      connections: 0,
      periods: [
        {
          minutes: 15,
          calls: 4,
          usefulShare: 0.75,
          serverErrors: 1,
          refused: 1,
          issuingMs: 300,
          settlingMs: 7_000,
        },
        { minutes: 60, calls: 0, usefulShare: null, issuingMs: null },
      ],
    },
  ])
})

test('the menu counts what is above its limit, by the page that acts on it', () => {
  const sample = (gauge: string, value: number, label = 'PROVIDER_A') => ({ gauge, value, labels: [label] })
  const [failing] = findFailingProviders(
    ([15, 60] as const).map(minutes =>
      countsOf(minutes, { serverErrors: 5, failedInARow: 5, failingSince: FIRST_AT }),
    ),
  )
  expect(countOperatorTasks([sample('trilho_unknown_outcomes', 3)], [])).toEqual({})
  expect(
    countOperatorTasks(
      [
        sample('trilho_unknown_outcomes', 3),
        sample('trilho_unknown_outcomes', 2, 'PROVIDER_B'),
        sample('trilho_unknown_oldest_seconds', 601),
        sample('trilho_breakers_open', 2),
        sample('trilho_disputes_urgent', 4),
        sample('trilho_shortfall_cents', 12_345),
      ],
      [failing!],
    ),
  ).toEqual({ unknown: 5, health: 3, dueDisputes: 4, entries: 1 })
})

test('readers of the menu within a few seconds share one count, and a failed one is not kept', async () => {
  const fixture = await openApiFixture([])
  const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
  try {
    const read = createOperatorTaskReader({ orm })
    const [first, ...others] = await Promise.all([read(), read(), read()])
    expect(others).toEqual([first, first])
    expect(captured.statements.filter(text => text.includes('trilho_database_up'))).toHaveLength(1)
    let isDown = true
    const execute = async () => {
      if (isDown) throw new Error('down')
      return []
    }
    const broken = createOperatorTaskReader({ orm: { em: { fork: () => ({ execute }) } } } as never)
    await expect(broken()).rejects.toThrow('down')
    isDown = false
    expect(await broken()).toEqual({})
  } finally {
    await close()
    await fixture.close()
  }
})

describe('the pages of an operator', () => {
  const OPERATOR = '/dashboard/operator'
  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let operator: ReturnType<typeof createBrowser>
  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    await ours.sql('update account set name = ? where uuid = ?', ['Padaria Trilho', ours.account])
    await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
    operator = createBrowser(fixture)
    await operator.signIn('op@trilho.test', PASSWORD)
  })
  afterAll(() => fixture.close())
  beforeEach(() => ours.sql(`delete from attempt where operation = 'issue'`))

  const read = async (path: string) => (await operator.get(OPERATOR + path)).text

  const insertIssuing = (state: string, code: string | null, { count = 14, at = ours.connection } = {}) =>
    ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
         created_at, updated_at)
       select gen_random_uuid(), 'issue', gen_random_uuid(), uuid, provider_account_uuid, 0, ?, ?, now() - n * interval '1 second',
         now() from connection, generate_series(1, ?) n where uuid = ?`,
      [state, code, count, at],
    )

  test('name a provider that answers every charge with 500, and lead to what can be done', async () => {
    expect(await read('')).not.toContain('sem resposta útil desde')
    await insertIssuing('orphan', 'http_500')
    const text = await read('')
    const [line] = /<li>(?:(?!<\/li>).)*sem resposta útil desde.*?<\/li>/s.exec(text)!
    expect(line).toMatch(/Provedor A: 14 de 14 emissões sem resposta útil desde \d\d:\d\d<\/strong>/)
    const links = Array.from(line.matchAll(/href="([^"]+)"/g), ([, href]) => unescapeHtml(href!))
    const attempts = `${OPERATOR}/providers/attempts?provider=PROVIDER_A&mode=test&operation=issue`
    const pause = `${OPERATOR}/providers?target=connection&uuid=${ours.connection}#pause`
    expect(links).toEqual([attempts, pause, attempts, '/docs/provider-down'])
    const listed = (await operator.get(attempts)).text
    expect(listed.match(/<code>http_500<\/code>/g)).toHaveLength(14)
    expect(listed).toContain(`href="${OPERATOR}/accounts/${ours.account}">Padaria Trilho`)
    expect(await read(`/providers?target=connection&uuid=${ours.connection}`)).toContain(
      `name="uuid" value="${ours.connection}"`,
    )
  })

  test('show the share of useful answers of each provider, with what failed apart', async () => {
    await insertIssuing('accepted', null, { count: 5 })
    await insertIssuing('orphan', 'http_502', { count: 3 })
    await insertIssuing('closed', 'timeout', { count: 2 })
    const text = await read('')
    const [table] = /<table class="rows cards-on-phones many wrapped">.*?<\/table>/s.exec(text)!
    const cells = Array.from(
      table.matchAll(/<td class="figure" data-label="([^"]+)">([\d–,.]+)/g),
      ([, name, value]) => [name, value],
    )
    expect(Object.fromEntries(cells)).toMatchObject({
      'Erros 5xx': '3',
      'Sem resposta a tempo': '2',
    })
  })

  test('list the connections of one provider where many of them fail', async () => {
    const other = await fixture.insertConnection(await fixture.insertAccount())
    const elsewhere = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B' })
    for (const at of [ours.connection, other]) await insertIssuing('orphan', 'http_500', { at })
    const narrowed = `${OPERATOR}/providers?provider=PROVIDER_A`
    const pause = `${OPERATOR}/providers?target=provider&#38;provider=PROVIDER_A#pause`
    expect(await read('')).toContain(`href="${pause}"`)
    const text = (await operator.get(narrowed)).text
    expect([text.includes(other), text.includes(elsewhere)]).toEqual([true, false])
    expect((await read('/providers?provider=nobody')).includes(elsewhere)).toBe(true)
  })

  test('list attempts with any filter, and none where nothing failed', async () => {
    await insertIssuing('accepted', null, { count: 1 })
    expect(await read('/providers/attempts?provider=PROVIDER_B')).toContain('Nenhuma tentativa.')
    const path = '/providers/attempts?provider=nobody&mode=x&operation=y&outcome=all'
    const text = await read(path)
    expect(text).toContain('Emissão de cobrança')
    expect(text).toContain(`href="${OPERATOR}/unknown/transfer/${ours.unknown}"`)
  })

  test('count in the menu what is wrong now', async () => {
    const text = await read('/acts')
    const countOf = (path: string) =>
      new RegExp(`href="${OPERATOR}${path}"[^>]*>(?:(?!</a>).)*class="count">(\\d+)<`, 's').exec(text)?.[1]
    expect(countOf('/unknown')).toBe('1')
    expect(countOf('/differences')).toBe('1')
    expect(countOf('/acts')).toBeUndefined()
  })

  test('list each payout with an unknown outcome in one row, which can be asked about and settled', async () => {
    const text = await read('/unknown')
    const [row] = /<tr><th scope="row"><a href="[^"]*unknown\/transfer.*?<\/tr>/s.exec(text)!
    expect(row).toContain(`href="${OPERATOR}/unknown/transfer/${ours.unknown}#settle"`)
    expect(row).toMatch(
      /action="\/dashboard\/operator\/ask".*<button type="submit" class="quiet">Consultar</s,
    )
    expect(row).toMatch(/<td class="number">R\$\s7,77<\/td>/)
    const settled = await read(`/unknown/transfer/${ours.unknown}`)
    expect(settled).toContain('id="settle"')
  })

  test('have the answers to a payout as cards on a phone', async () => {
    await ours.sql(
      `insert into attempt_answer (attempt_uuid, sending, kind, code, first_at, last_at) values (?, 1, 'unknown', 'http_500', now(), now())`,
      [ours.unknownAttempt],
    )
    const text = await read(`/unknown/transfer/${ours.unknown}`)
    expect(text).toMatch(/<table class="rows cards-on-phones"><thead><tr><th scope="col">Resposta</)
    expect(text).toMatch(/<td class="figure" data-label="Ocorrências">1<\/td>/)
  })

  test('name what an act was about, and lead to it', async () => {
    const subjects: Record<string, [name: string | RegExp, path: string]> = {
      [`account/${ours.account}`]: ['Padaria Trilho', `/accounts/${ours.account}`],
      [`connection/${ours.connection}`]: [
        'Padaria Trilho, Provedor A',
        `/accounts/connections/${ours.connection}`,
      ],
      [`transfer/${ours.unknown}`]: [
        /Transferência R\$\s7,77, Padaria Trilho/,
        `/unknown/transfer/${ours.unknown}`,
      ],
      [`charge/${ours.charge}`]: [/Cobrança R\$\s1\.234,56, Padaria Trilho/, `/accounts?q=${ours.charge}`],
      [`med/${ours.dispute}`]: [/Contestação R\$\s10,00/, `/accounts?q=${ours.dispute}`],
      [`return/${ours.unmatched}/kept`]: [/R\$\s42,42/, `/unknown/return/${ours.unmatched}`],
      [`difference/${ours.difference}`]: ['Diferença, Provedor A', `/differences/${ours.difference}`],
      [`endpoint/${ours.webhook}`]: ['Webhook, Padaria Trilho', `/accounts?q=${ours.webhook}`],
      [`user/${ours.user}`]: [ours.email, `/accounts/${ours.account}`],
      [`invitation/${ours.invitation}`]: [`invited-${ours.email}`, `/accounts/${ours.account}`],
    }
    for (const subject of [...Object.keys(subjects), 'all', 'answer/gone'])
      await ours.sql(
        `insert into operator_action (uuid, actor, action, subject, reason) values (gen_random_uuid(), 'a', 'resume', ?, 'r')`,
        [subject],
      )
    const text = await read('/acts')
    for (const [subject, [name, path]] of Object.entries(subjects)) {
      const row = text
        .slice(0, text.indexOf(`<code>${subject}</code>`))
        .split('<tr>')
        .at(-1)!
      const [, href, shown] = /<a href="([^"]+)">([^<]+)<span/.exec(row)!
      expect([subject, href]).toEqual([subject, OPERATOR + path])
      expect(shown).toMatch(name)
      expect([subject, (await operator.get(href!)).status]).toEqual([subject, 200])
    }
    expect(text).toContain('Todo o serviço<small class="line"><code>all</code>')
    expect(text).toContain('<small class="line"><code>answer/gone</code>')
  })
})
