import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { listUnsettledDifferences, recordDifferences } from '../../../src/db/repositories/differences.ts'
import { readServiceFacts } from '../../../src/db/repositories/service-facts.ts'
import type { StatementDifference } from '../../../src/domain/reconciliation/statement-comparison.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** An operator closes a reconciliation difference: it counts no more, stays listed, and opens again if its facts change. */

const LIST = '/dashboard/operator/differences'
const [ANA, BIA] = ['ana@trilho.test', 'bia@trilho.test'] as const

let fixture: ApiFixture
let providerAccountUuid: string
let ana: ReturnType<typeof createBrowser>
let bia: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  const connection = await fixture.insertConnection(await fixture.insertAccount())
  ;({ providerAccountUuid } = await fixture.orm.em.fork().findOneOrFail(Connection, connection))
  const signedIn = async (email: string) => {
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    return browser
  }
  ;[ana, bia] = [await signedIn(ANA), await signedIn(BIA)]
})
afterAll(() => fixture.close())

const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
  fixture.orm.em.fork().execute(query, values)

let count = 0
const differs = (cents: number, endToEnd = `E${String(++count).padStart(31, '0')}`): StatementDifference => {
  const at = '2026-01-02T12:00:00.000Z'
  return {
    kind: 'value_differs',
    endToEnd,
    direction: 'IN',
    entry: { endToEnd, direction: 'IN', cents, at, reference: null },
    ours: { endToEnd, direction: 'IN', cents: 1_000, settledAt: at, status: 'SETTLED' },
  }
}
/** Records a comparison that has found these, and nothing else. */
const compare = (...remaining: StatementDifference[]) =>
  recordDifferences(fixture.orm.em.fork(), { providerAccountUuid, remaining, covers: () => true })
const uuidOf = async ({ endToEnd }: StatementDifference) =>
  (await sql<{ uuid: string }>('select uuid from difference where end_to_end = ?', [endToEnd]))[0]!.uuid
async function found(cents: number) {
  const difference = differs(cents)
  await compare(difference)
  return { difference, uuid: await uuidOf(difference) }
}
const rowOf = async (uuid: string) =>
  (
    await sql<{ found_at: Date; settled_at: string | null; closed_by: string | null; closed_as: string }>(
      'select found_at, settled_at, closed_by, closed_as from difference where uuid = ?',
      [uuid],
    )
  )[0]!

/** What operators are shown as open: the alert, the cockpit, the command line, and the list. */
async function counted() {
  const em = () => fixture.orm.em.fork()
  const gauges = await readDatabaseGauges(em())
  const alert = gauges.filter(one => one.gauge === 'trilho_reconciliation_differences')
  const { text } = await ana.get(LIST)
  return {
    alert: alert.reduce((sum, { value }) => sum + value, 0),
    cents: (await readServiceFacts(em())).difference_cents,
    commandLine: (await listUnsettledDifferences(em())).length,
    listed: text.match(new RegExp(`href="${LIST}/[0-9a-f-]{36}"`, 'g'))?.length ?? 0,
  }
}
const NONE = { alert: 0, cents: 0, commandLine: 0, listed: 0 }

const RESOLVED = { as: 'resolved', cause: 'corrected_by_provider', reason: 'protocol 81, bank A' }
const ACCEPTED = { as: 'accepted', cause: '', reason: 'one centavo, not worth a call' }
/** The form of a difference's page, filled in; it is sent by `send` or `confirm`. */
async function formOf(who: typeof ana, uuid: string, fields: Record<string, string>) {
  const { text } = await who.get(`${LIST}/${uuid}`)
  const hidden = (name: string) => hiddenFieldOf(text, name) ?? ''
  return { uuid, facts: hidden('facts'), version: hidden('version'), ...fields }
}
const close = async (who: typeof ana, uuid: string, fields: Record<string, string>) =>
  who.confirm(`${LIST}/close`, await formOf(who, uuid, fields), { on: `${LIST}/${uuid}` })
const changeOf = (text: string) =>
  /nada foi feito\. Situação atual: (.*?)\.<\/p>/.exec(text.replaceAll('\u00a0', ' '))?.[1]

test.each([
  ['resolved with its cause', RESOLVED, 'Resolvida: a causa é conhecida: O provedor corrigiu o extrato'],
  ['accepted without one', ACCEPTED, 'Aceita sem causa'],
])(
  'a difference is %s: confirmed, recorded, not counted, listed as closed; no money moves',
  async (_, fields, closing) => {
    const { difference, uuid } = await found(1_250)
    expect(await counted()).toEqual({ alert: 1, cents: 250, commandLine: 1, listed: 1 })
    const money = await sql('select * from balance order by 1, 2, 3')
    const question = await ana.send(`${LIST}/close`, await formOf(ana, uuid, fields), {
      on: `${LIST}/${uuid}`,
    })
    expect([question.status, (await rowOf(uuid)).closed_by]).toEqual([200, null])
    for (const fact of [
      '12,50',
      '10,00 (Liquidado)',
      'diferença de R$ 2,50',
      fields.reason,
      difference.endToEnd,
    ])
      expect(question.text.replaceAll('\u00a0', ' ')).toContain(fact)
    const confirmed = () => ana.call('POST', `${LIST}/close`, { form: hiddenFieldsOf(question.text) })
    expect((await confirmed()).headers.get('location')).toBe(`${LIST}?done=difference_closed`)
    // The same form sent twice.
    expect((await confirmed()).status).toBe(303)
    expect(await counted()).toEqual(NONE)
    const closed = (await bia.get(`${LIST}?state=closed`)).text
    for (const text of [uuid, closing, ANA, fields.reason]) expect(closed).toContain(text)
    expect(await sql('select * from balance order by 1, 2, 3')).toEqual(money)
    expect(
      await sql('select actor, action, reason from operator_action where subject = ?', [
        `difference/${uuid}`,
      ]),
    ).toEqual([{ actor: ANA, action: `difference_${fields.as}`, reason: fields.reason }])

    // Found again by later comparisons, also after one that did not find it.
    await compare(difference)
    await compare()
    await compare(difference)
    expect(await counted()).toEqual(NONE)
    await compare()
  },
)

test('a closed difference whose amount has changed is open again, as found now, and shows its earlier closing', async () => {
  const { difference, uuid } = await found(2_000)
  await close(ana, uuid, RESOLVED)
  await sql(`update difference set found_at = now() - interval '9 days' where uuid = ?`, [uuid])
  await compare(differs(2_100, difference.endToEnd))
  expect(await counted()).toEqual({ alert: 1, cents: 1_100, commandLine: 1, listed: 1 })
  const row = await rowOf(uuid)
  expect([row.closed_by, Date.now() - new Date(row.found_at).getTime() < 60_000]).toEqual([null, true])
  expect((await bia.get(`${LIST}/${uuid}`)).text).toContain(RESOLVED.reason)
  await compare()
})

test('the second of two operators is told what the first has done', async () => {
  const { uuid } = await found(3_000)
  const late = await formOf(bia, uuid, ACCEPTED)
  const question = await bia.send(`${LIST}/close`, late, { on: `${LIST}/${uuid}` })
  await close(ana, uuid, RESOLVED)
  const closing =
    /Resolvida: a causa é conhecida: O provedor corrigiu o extrato\) por ana@trilho\.test, .*: protocol 81/
  const answers = [
    await bia.send(`${LIST}/close`, late, { on: `${LIST}/${uuid}` }),
    await bia.call('POST', `${LIST}/close`, { form: hiddenFieldsOf(question.text) }),
  ]
  for (const { status, text } of answers) {
    expect([status, changeOf(text)]).toEqual([409, expect.stringMatching(closing)])
    // The page is the difference's own, as it is now.
    expect(text).toContain(`action="${LIST}/reopen"`)
  }
  expect((await rowOf(uuid)).closed_by).toBe(ANA)
  await compare()
})

test('a difference that a comparison has changed or found gone meanwhile is not closed', async () => {
  const { difference, uuid } = await found(4_000)
  const form = await formOf(ana, uuid, RESOLVED)
  const send = () => ana.confirm(`${LIST}/close`, form, { on: LIST })
  await compare(differs(4_100, difference.endToEnd))
  const changed = await send()
  expect([changed.status, changeOf(changed.text)]).toEqual([409, 'No provedor: R$ 40,00 → R$ 41,00'])
  await compare()
  const gone = await send()
  expect([gone.status, changeOf(gone.text)]).toEqual([409, expect.stringContaining('Não encontrada desde')])
  expect((await rowOf(uuid)).closed_by).toBeNull()
})

test('what is booked by itself, or waits for a workflow, is not closed', async () => {
  const { uuid } = await found(4_500)
  const form = await formOf(ana, uuid, RESOLVED)
  await sql(`update difference set pending_reason = 'too_young' where uuid = ?`, [uuid])
  const { text } = await ana.get(`${LIST}/${uuid}`)
  expect([text.includes('ainda não pode ser encerrada'), text.includes(`${LIST}/close`)]).toEqual([
    true,
    false,
  ])
  expect((await ana.confirm(`${LIST}/close`, form, { on: LIST })).status).toBe(409)
  expect((await rowOf(uuid)).closed_by).toBeNull()
  await compare()
})

test('a closing by mistake is opened again once, with its reason', async () => {
  const { uuid } = await found(5_000)
  await close(ana, uuid, ACCEPTED)
  const { text } = await bia.get(`${LIST}/${uuid}`)
  const form = {
    uuid,
    closed_at: hiddenFieldOf(text, 'closed_at')!,
    version: hiddenFieldOf(text, 'version')!,
  }
  const reopen = (reason: string) =>
    bia.send(`${LIST}/reopen`, { ...form, reason }, { on: `${LIST}/${uuid}` })
  expect((await reopen('')).status).toBe(422)
  expect((await reopen('the wrong line')).status).toBe(303)
  expect((await reopen('the wrong line')).status).toBe(409)
  expect(await counted()).toEqual({ alert: 1, cents: 4_000, commandLine: 1, listed: 1 })
  await compare()
})

test.each<[what: string, fields: Record<string, string>]>([
  ['no reason', { ...RESOLVED, reason: ' ' }],
  ['no outcome', { ...RESOLVED, as: '' }],
  ['no cause', { ...RESOLVED, cause: '' }],
  ['an unknown cause', { ...RESOLVED, cause: 'magic' }],
  ['a cause of what is accepted', { ...ACCEPTED, cause: 'adjusted' }],
])('a closing with %s is refused and keeps what was typed', async (_, fields) => {
  const { uuid } = await found(6_000)
  const { status, text } = await close(ana, uuid, fields)
  expect([status, text.includes(`name="reason" value="${fields.reason}"`)]).toEqual([422, true])
  expect((await rowOf(uuid)).closed_by).toBeNull()
  await compare()
})

const CLOSING = `closed_at = now(), closed_as = 'accepted', closed_reason = 'because', closed_by = 'ana'`
test.each<[what: string, constraint: string, given: string, change: string]>([
  [
    'without an operator',
    'difference_closed',
    '',
    `closed_at = now(), closed_as = 'accepted', closed_reason = 'x'`,
  ],
  [
    'without a reason',
    'difference_closed',
    '',
    `closed_at = now(), closed_as = 'accepted', closed_by = 'ana'`,
  ],
  ['resolved without a cause', 'difference_closed', '', CLOSING.replace('accepted', 'resolved')],
  ['accepted with a cause', 'difference_closed', '', `${CLOSING}, closed_cause = 'adjusted'`],
  ['of one that is gone', 'difference_closed_once', 'settled_at = now()', CLOSING],
  ['over another', 'difference_closed_once', CLOSING, CLOSING.replace('because', 'other')],
  [
    'kept while the amount changes',
    'difference_closed_once',
    CLOSING,
    `detail = jsonb_set(detail, '{entry,cents}', '9')`,
  ],
])('PostgreSQL refuses a closing %s', async (_, constraint, given, change) => {
  const { uuid } = await found(7_000)
  if (given) await sql(`update difference set ${given} where uuid = ?`, [uuid])
  await expect(sql(`update difference set ${change} where uuid = ?`, [uuid])).rejects.toThrow(constraint)
  await compare()
})
