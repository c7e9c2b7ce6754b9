import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { findAccountCounts } from '../../../src/db/repositories/account-statistics.ts'
import { listStuckWorkflows, listUnknownOutcomes } from '../../../src/db/repositories/operator-lists.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

const OPERATOR = '/dashboard/operator'
const PAGES = [
  '',
  '/unknown',
  '/stuck',
  '/disputes',
  '/webhooks',
  '/unexpected',
  '/unmatched',
  '/differences',
  '/entries',
  '/answers',
  '/providers',
  '/acts',
  '/accounts',
]
const ACTS = [
  'settle',
  'ask',
  'breaker',
  'return',
  'keep',
  'recover',
  'pause',
  'resume',
  'answers/open',
  'entries/adjust',
  'entries/approve',
  'accounts/open',
]
let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let operator: ReturnType<typeof createBrowser>
let merchant: ReturnType<typeof createBrowser>

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], { TEMPORAL_UI_URL: 'http://127.0.0.1:8233' })
  ours = await createFullAccount(fixture)
  await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
  operator = createBrowser(fixture)
  await operator.signIn('op@trilho.test', PASSWORD)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture.close())

const acts = () =>
  ours.sql('select actor, action, subject, reason from operator_action where actor = ?', ['op@trilho.test'])

describe('an operator', () => {
  test('starts at the monitoring page, and reads each item with its age for every account', async () => {
    const home = await operator.get('/dashboard')
    expect([home.status, home.headers.get('location')]).toEqual([303, OPERATOR])
    const { text } = await operator.get(OPERATOR)
    const counts = text.match(/class="amount">(\d+)</g)!
    expect(counts.map(count => Number(/\d+/.exec(count)))).toEqual([1, 1, 1, 1, 0, 0])
    for (const gauge of ['unknown', 'differences'])
      expect(text).toMatch(new RegExp(`operator/${gauge}"><span>[^<]*</span> <strong>1, R\\$`))
    expect((await operator.get(`${OPERATOR}/unknown`)).text).toContain('há 3 horas')
  })

  test('reads texts of others as escaped text, in both languages', async () => {
    for (const language of ['en', 'pt-BR'])
      for (const page of PAGES) {
        operator.cookies.set('trilho_language', language)
        const { status, text } = await operator.get(OPERATOR + page)
        expect([page, status]).toEqual([page, 200])
        expect(text).not.toMatch(/<script>|<img src=x|<%|\bundefined\b|\[object/)
      }
  })

  test('sees unknown payouts next to unknown keys, and the keys among the operations without money', async () => {
    const [key, uuid] = [randomUUID(), randomUUID()]
    const before = (await operator.get(`${OPERATOR}/unknown`)).text
    await ours.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
         request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, 'removing', 'r', 'f', now(),
         now() - interval '1 hour' from connection where uuid = ?`,
      [uuid, key, ours.connection],
    )
    await ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
         state, unknown_since, created_at, updated_at)
       select gen_random_uuid(), 'delete_key', ?, uuid, provider_account_uuid, 0, 'unknown', now(), now(), now()
       from connection where uuid = ?`,
      [uuid, ours.connection],
    )
    const { status, text } = await operator.get(`${OPERATOR}/unknown`)
    expect(status).toBe(200)
    const rows = (page: string) => page.match(/<tr><th scope="row">/g)
    expect(rows(text)).toHaveLength(1)
    expect(rows(text)).toEqual(rows(before))
    const { unknown } = await findAccountCounts(fixture.orm.em.fork(), {
      accountUuid: ours.account,
      isSimulated: true,
    })
    expect(unknown).toBe(1)
    const rowsPage = (await operator.get(`${OPERATOR}/stuck`)).text
    expect(rowsPage).toContain(`/workflows/${encodeURIComponent(`pix-key/${uuid}/removal`)}`)
    await ours.sql('delete from attempt where subject_uuid = ?', [uuid])
    await ours.sql('delete from pix_key where uuid = ?', [uuid])
  })

  test('sees a charge that is still pending a day after it expired, and no other pending one', async () => {
    const charges: Record<string, string> = {}
    for (const age of ['23 hours', '25 hours']) {
      const uuid = await fixture.insertCharge(ours.connection)
      charges[age] = uuid
      await ours.sql(
        `update charge set state = 'pending', txid = ?, payload = 'p', expires_at = now() - ?::interval
         where uuid = ?`,
        [randomUUID(), age, uuid],
      )
    }
    const { text } = await operator.get(`${OPERATOR}/stuck`)
    const workflowPath = (uuid?: string) => `/workflows/${encodeURIComponent(`charge/${uuid}`)}`
    expect(text).toContain(workflowPath(charges['25 hours']))
    expect(text).toContain('Vencida, sem resposta final do provedor')
    expect(text).not.toContain(workflowPath(charges['23 hours']))
    for (const uuid of Object.values(charges)) await ours.sql('delete from charge where uuid = ?', [uuid])
  })

  test('has a link to the workflow of each operation', async () => {
    const workflowPath = (id: string) => `/namespaces/default/workflows/${encodeURIComponent(id)}`
    expect((await operator.get(`${OPERATOR}/unknown`)).text).toContain(
      workflowPath(`transfer/${ours.unknown}`),
    )
    expect((await operator.get(`${OPERATOR}/stuck`)).text).toContain(workflowPath(`transfer/${ours.unknown}`))
    expect((await operator.get(`${OPERATOR}/stuck`)).text).toContain(
      '/namespaces/default/workflows?query=TrilhoAccount%20IS%20NOT%20NULL"',
    )
    expect((await operator.get(`${OPERATOR}/unmatched`)).text).toContain(
      workflowPath(`return/${ours.unmatched}`),
    )
    expect((await operator.get(`${OPERATOR}/unexpected`)).text).toContain(
      workflowPath(`transfer/${ours.transfer}`),
    )
  })
})

test('endpoints that were given up hide no failing one, and a full list says so', async () => {
  const url = `https://failing.example/${randomUUID()}`
  const account = await fixture.insertAccount()
  await ours.sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, status, disabled_reason,
       failing_since, created_at)
     select gen_random_uuid(), ?, 'https://old.example', 's', 's', '{MED}', 'f', 'DISABLED', 'failing',
       now() - interval '1 year', now() - interval '2 years' from generate_series(1, 20)`,
    [account],
  )
  const many = Array.from({ length: 10 }, () => fixture.insertAccount())
  for (const each of await Promise.all(many))
    await ours.sql(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, status,
         disabled_reason, failing_since, created_at)
       select gen_random_uuid(), ?, url, sealed_secret, masked_secret, events, fingerprint, status, disabled_reason,
         failing_since, created_at from webhook where account_uuid = ?`,
      [each, account],
    )
  await ours.sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, failing_since, created_at)
     values (gen_random_uuid(), ?, ?, 's', 's', '{MED}', 'f', now() - interval '1 hour', now())`,
    [await fixture.insertAccount(), url],
  )
  expect((await operator.get(`${OPERATOR}/webhooks`)).text).toContain(url)
  expect((await operator.get(OPERATOR)).text).toContain('class="amount">200+<')
  await ours.sql(`delete from webhook where url = 'https://old.example' or url = ?`, [url])
})

test('rows in progress are found by an index', async () => {
  const asked = { execute: (sql: string) => sql } as never
  for (const [look, indexes] of [
    [listUnknownOutcomes, ['attempt_moving']],
    [listStuckWorkflows, ['charge_moving', 'charge_pending_expiry', 'transfer_moving', 'refund_one_running']],
  ] as const)
    await runInTransaction(fixture.orm, async em => {
      await em.execute('set local enable_seqscan = off')
      const plan = JSON.stringify(await em.execute(`explain ${await look(asked)}`))
      for (const index of indexes) expect(plan).toContain(index)
    })
})

test('providers are judged by their latest operations, however many there were', async () => {
  await ours.sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
       created_at, updated_at)
     select gen_random_uuid(), 'issue', gen_random_uuid(), uuid, provider_account_uuid, 0, 'accepted',
       now() - n * interval '1 second', now() from connection, generate_series(1, 1100) n where uuid = ?`,
    [ours.connection],
  )
  const calls = async (browser: typeof operator, path: string) =>
    /<span>[\d,]+.?%<\/span><\/span><\/td><td class="figure" data-label="[^"]*">([\d.]+)</.exec(
      (await browser.get(path)).text,
    )?.[1]
  expect(await calls(merchant, '/dashboard')).toBe('1.000')
  expect(await calls(operator, OPERATOR)).toBe('100')
  await ours.sql(`delete from attempt where operation = 'issue'`)
})

test('a merchant sees and does none of this', async () => {
  const readMain = (text: string) => /<main.*<\/main>/s.exec(text)![0].replace(/[\da-f-]{36}/, 'request')
  const nothing = readMain((await merchant.get(`${OPERATOR}/nothing`)).text)
  const finds = async (path: string, form?: Record<string, string>) => {
    const { status, text } = await (form
      ? merchant.call('POST', OPERATOR + path, { form })
      : merchant.get(OPERATOR + path))
    expect([path, status, readMain(text)]).toEqual([path, 404, nothing])
  }
  for (const page of [...PAGES, ...ACTS.map(act => `/${act}`)]) await finds(page)
  const _csrf = hiddenFieldOf((await merchant.get('/dashboard/tokens')).text, '_csrf')!
  const form = { _csrf, target: 'all', reach: 'everything', reason: 'because' }
  for (const act of ACTS) for (const sent of [form, {}]) await finds(`/${act}`, sent)
  expect(await acts()).toEqual([])
})

describe('an operator action', () => {
  const send = (act: string, form: Record<string, string>, on = '/providers') =>
    operator.confirm(`${OPERATOR}/${act}`, form, { on: OPERATOR + on })

  const seen = () => ({
    noun: 'transfer',
    uuid: ours.unknown,
    attempt: ours.unknownAttempt,
    sending: '0',
    evidence: 'written',
  })
  const payoutPage = () => `/unknown/transfer/${ours.unknown}`
  const WAITS = { disposition: 'not_returned', sending: '0', cents: '4242' }

  test('needs the token of its session', async () => {
    for (const act of ACTS)
      expect(
        (await operator.call('POST', `${OPERATOR}/${act}`, { form: { reason: 'because' } })).status,
      ).toBe(403)
  })

  test('needs a reason', async () => {
    for (const reason of ['', ' ', 'x'])
      for (const [act, form] of [
        ['pause', { target: 'all', reach: 'everything' }],
        ['settle', { ...seen(), as: 'rejected' }],
        ['return', { uuid: ours.unmatched, ...WAITS }],
        ['keep', { uuid: ours.unmatched, ...WAITS }],
        ['recover', { uuid: ours.webhook, since: new Date().toISOString() }],
        ['answers/open', { uuid: ours.unknown }],
      ] as const) {
        const answer = await send(act, { ...form, reason })
        expect([act, answer.status]).toEqual([act, 422])
      }
    expect(await acts()).toEqual([])
    expect(await ours.sql('select * from pause')).toEqual([])
  })

  test('on a pause keeps what was typed when it is refused', async () => {
    const typed = { target: 'account', uuid: 'no-uuid', reach: 'everything', reason: 'a "long" reason' }
    const { status, text } = await send('pause', typed)
    expect(status).toBe(422)
    expect(text).toContain('<option value="account" selected>')
    expect(text).toContain('<option value="everything" selected>')
    expect(text).toContain('name="uuid" value="no-uuid"')
    expect(text).toContain('name="reason" value="a &#34;long&#34; reason"')
  })

  test('on an endpoint or a payment keeps its reason in the form when it is refused', async () => {
    for (const [act, on, uuid] of [
      ['return', '/unmatched', ours.unmatched],
      ['keep', '/unmatched', ours.unmatched],
      ['recover', '/webhooks', ours.webhook],
    ] as const) {
      const form = { act, uuid, ...WAITS, since: new Date().toISOString(), reason: 'zz ' }
      const { status, text } = await send(act, form, on)
      expect([act, status]).toEqual([act, 422])
      const openForm = /<details class="act" open>.*?<\/details>/s.exec(text)![0]
      expect(openForm).toContain(`action="${OPERATOR}/${act}"`)
      expect(text.match(/name="reason" value="[^"]+"/g)).toEqual(['name="reason" value="zz "'])
    }
  })

  test('settles an attempt only with its end-to-end id', async () => {
    const form = { ...seen(), as: 'settled', reason: 'the statement says so' }
    const answer = await send('settle', form, '/unknown')
    expect([answer.status, answer.text.includes('ID da transação (EndToEndId)')]).toEqual([422, true])
  })

  test('needs its confirmation phrase, and keeps what was typed for the next attempt', async () => {
    const before = (await operator.get(OPERATOR + payoutPage())).text
    expect(before).toMatch(
      /<select name="as" id="in-as" required><option value="">[^<]+<\/option><option value="rejected">/,
    )
    const form = { ...seen(), reason: 'the statement says so' }
    for (const [as, end_to_end] of [
      ['', 'E1'],
      ['settled', ''],
      ['rejected', 'E1'],
    ] as const) {
      const { status, text } = await send('settle', { ...form, as, end_to_end }, payoutPage())
      expect([as, status]).toEqual([as, 422])
      expect(text).toContain(
        `<li><strong>${as === '' ? 'Resultado' : 'ID da transação (EndToEndId)'}</strong>`,
      )
      expect(text).toContain(`id="in-${as === '' ? 'as' : 'end_to_end'}-wrong"`)
      expect(text).toContain(`name="end_to_end" value="${end_to_end}"`)
      expect(text).toContain('name="reason" value="the statement says so"')
      expect(text).toContain('<option value="written" selected>')
      expect(/<select name="as".*?<option value="(\w+)" selected>/.exec(text)?.[1]).toBe(
        as === '' ? undefined : as,
      )
    }
    expect(await acts()).toEqual([])
  })

  test('pauses, is shown, and resumes; its author and reason stay', async () => {
    const target = { target: 'connection', uuid: ours.connection }
    const paused = await send('pause', { ...target, reach: 'money_out', reason: 'their bank is down' })
    expect(paused.headers.get('location')).toBe(`${OPERATOR}/providers?done=paused`)
    const { text } = await operator.get(`${OPERATOR}/providers`)
    expect(text).toContain('their bank is down')
    // It names what it stops.
    const [article] = /<article class="watch">.*?<\/article>/s.exec(text)!
    expect(article).toContain(`href="${OPERATOR}/accounts/${ours.account}"`)
    expect(article).toMatch(/<\/a>, Provedor A<\/strong>/)
    const refused = await send('resume', { ...target, reason: 'x' })
    expect(refused.text.match(/name="reason" value="[^"]+"/g)).toEqual(['name="reason" value="x"'])
    expect(refused.text).toContain('<details class="act" open>')
    expect((await send('resume', { ...target, reason: 'it is back' })).status).toBe(303)
    const late = await send('resume', { ...target, reason: 'it is back' })
    expect([late.status, late.text.includes('Situação atual: Nenhuma')]).toEqual([409, true])
    const subject = `connection/${ours.connection}`
    expect(await acts()).toEqual([
      { actor: 'op@trilho.test', action: 'pause_money_out', subject, reason: 'their bank is down' },
      { actor: 'op@trilho.test', action: 'resume', subject, reason: 'it is back' },
    ])
    expect((await operator.get(`${OPERATOR}/acts`)).text).toContain('it is back')
  })

  test('pauses a provider for all accounts, and resumes it', async () => {
    const target = { target: 'provider', provider: 'PROVIDER_A' }
    const reason = 'the bank is down'
    expect((await send('pause', { target: 'provider', reach: 'everything', reason })).status).toBe(422)
    expect((await send('pause', { ...target, reach: 'everything', reason })).status).toBe(303)
    const { text } = await operator.get(`${OPERATOR}/providers`)
    const [article] = /<article class="watch">.*?<\/article>/s.exec(text)!
    expect(article).toContain('<strong>Provedor A</strong>')
    expect(article).toContain('name="provider" value="PROVIDER_A"')
    expect((await operator.get(`${OPERATOR}/acts`)).text).toContain(
      `<a href="${OPERATOR}/providers?provider=PROVIDER_A">Provedor A<span`,
    )
    expect((await send('resume', { ...target, reason })).status).toBe(303)
    expect(await ours.sql('select * from pause')).toEqual([])
  })

  test('on an attempt that its provider has just accepted is refused, because the provider may still answer', async () => {
    const form = { ...seen(), as: 'rejected', reason: 'they have nothing' }
    const settle = async (state: string, ago: string) => {
      await ours.sql(
        'update attempt set state = ?, updated_at = now() - ?::interval where subject_uuid = ?',
        [...[state, ago, ours.unknown]],
      )
      return (await send('settle', form)).status
    }
    expect(await settle('unknown', '0')).toBe(503) // There is no Temporal here to signal.
    for (const state of ['calling', 'accepted']) {
      const isListed = async () => (await operator.get(`${OPERATOR}/unknown`)).text.includes(ours.unknown)
      expect([await settle(state, '1 minute'), await isListed()]).toEqual([409, false])
      expect([await settle(state, '1 hour'), await isListed()]).toEqual([503, true])
    }
  })

  describe('on a row that has changed since it was shown', () => {
    const attempts = () =>
      ours.sql('select uuid, state, sendings, code from attempt where subject_uuid = ? order by position', [
        ours.unknown,
      ])
    const held = async () =>
      (await ours.sql('select state, held_cents from transfer where uuid = ?', [ours.unknown]))[0]

    test('names the attempt and the call number that its page shows', async () => {
      const { text } = await operator.get(OPERATOR + payoutPage())
      expect(hiddenFieldOf(text, 'attempt')).toBe(ours.unknownAttempt)
      expect(hiddenFieldOf(text, 'sending')).toBe('0')
      expect(text).toContain(`<code>${ours.unknownAttempt}</code>`)
      const { attempt: _, sending: __, ...nameless } = seen()
      const answer = await send('settle', { ...nameless, as: 'rejected', reason: 'they have nothing' })
      expect(answer.status).toBe(422)
    })

    test('is refused where another provider was called meanwhile, and says which; that attempt is unchanged', async () => {
      const [next, before] = [randomUUID(), await acts()]
      await ours.sql(`update attempt set state = 'rejected', finality = 'other_may_help' where uuid = ?`, [
        ours.unknownAttempt,
      ])
      await ours.sql(
        `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
           state, sendings, unknown_since, created_at, updated_at)
         select ?, 'transfer', ?, uuid, provider_account_uuid, 1, 'unknown', 1, now(), now(), now() from connection
         where uuid = ?`,
        [next, ours.unknown, await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B' })],
      )
      const [stood, hold] = [await attempts(), await held()]
      const form = { ...seen(), as: 'rejected', reason: 'bank A confirms it' }
      const refused = await send('settle', form, payoutPage())
      expect(refused.status).toBe(409)
      expect(refused.text).toContain(`Provedor B, tentativa 2 (${next}), envio 1, Resultado desconhecido`)
      expect([await attempts(), await held(), await acts()]).toEqual([stood, hold, before])
      const again = await send('settle', { ...form, attempt: next, sending: '2' }, payoutPage())
      expect(again.status).toBe(409) // Of a call number that did not exist.
      expect((await send('settle', { ...form, attempt: next, sending: '1' })).status).toBe(503) // No Temporal here.
      await ours.sql('delete from attempt where uuid = ?', [next])
      await ours.sql(`update attempt set state = 'unknown', finality = null where uuid = ?`, [
        ours.unknownAttempt,
      ])
    })

    test('names an earlier request to settle, and asks again where one came in between', async () => {
      const form = { ...seen(), as: 'rejected', reason: 'they have nothing' }
      const on = OPERATOR + payoutPage()
      const question = await operator.send(`${OPERATOR}/settle`, form, { on })
      expect(question.text).toContain('7,77')
      await ours.sql(
        `insert into operator_action (uuid, actor, action, subject, reason)
         values (gen_random_uuid(), 'bia@trilho.test', 'settle_settled', ?, 'the statement has it')`,
        [`transfer/${ours.unknown}`],
      )
      const changed = await operator.call('POST', `${OPERATOR}/settle`, {
        form: hiddenFieldsOf(question.text),
      })
      expect(changed.status).toBe(200)
      expect(changed.text).toMatch(/<del>–<\/del> → <ins>bia@trilho.test, .*: the statement has it<\/ins>/)
    })

    test('closes an open breaker once', async () => {
      await ours.sql(
        `insert into circuit_breaker (connection_uuid, opened_at) values (?, now())
         on conflict (connection_uuid) do update set opened_at = now()`,
        [ours.connection],
      )
      const [uuid, before] = [ours.connection, await acts()]
      expect((await send('breaker', { uuid, reason: '' })).status).toBe(422)
      expect((await send('breaker', { uuid, reason: 'their status page is green' })).status).toBe(303)
      expect((await send('breaker', { uuid, reason: 'their status page is green' })).status).toBe(409)
      const [row] = await ours.sql('select opened_at from circuit_breaker where connection_uuid = ?', [uuid])
      expect([row!.opened_at, (await acts()).length]).toEqual([null, before.length + 1])
    })

    test('is refused on a PIX, an endpoint or a pause in another state', async () => {
      const [reason, before] = ['because', await acts()]
      for (const act of ['return', 'keep'])
        for (const was of [{ disposition: 'held' }, { sending: '1' }, { cents: '4241' }]) {
          const { status, text } = await send(act, { uuid: ours.unmatched, ...WAITS, ...was, reason })
          expect([act, status, text.includes('Aguarda um operador')]).toEqual([act, 409, true])
        }
      const form = { uuid: ours.webhook, since: new Date().toISOString(), reason }
      const [webhook] = await ours.sql('select status from webhook where uuid = ?', [ours.webhook])
      const other = webhook!.status === 'ACTIVE' ? 'DISABLED' : 'ACTIVE'
      expect((await send('recover', { ...form, status: other })).status).toBe(409)
      expect(await acts()).toEqual(before)

      const target = { target: 'connection', uuid: ours.connection, reason }
      await send('pause', { ...target, reach: 'money_out' })
      const page = (await operator.get(`${OPERATOR}/providers`)).text
      const pause = { pause: hiddenFieldOf(page, 'pause')!, seen_reach: hiddenFieldOf(page, 'seen_reach')! }
      await send('pause', { ...target, reach: 'everything' })
      expect((await send('resume', { ...target, ...pause })).status).toBe(409)
      expect((await send('resume', { ...target, ...pause, seen_reach: 'everything' })).status).toBe(303)
    })
  })

  test('on an unknown row is refused', async () => {
    const uuid = randomUUID()
    const reason = 'because'
    expect((await send('pause', { target: 'account', uuid, reach: 'everything', reason })).status).toBe(404)
    expect((await send('settle', { ...seen(), uuid, as: 'rejected', reason })).status).toBe(409)
    expect((await send('return', { uuid, ...WAITS, reason })).status).toBe(409)
    expect((await send('recover', { uuid, since: new Date().toISOString(), reason })).status).toBe(404)
    expect(await acts()).toHaveLength(8)
  })

  test('is not recorded as done when its workflow cannot receive the signal', async () => {
    const reason = 'because'
    const settled = await send('settle', { ...seen(), as: 'rejected', reason })
    const returned = await send('return', { uuid: ours.unmatched, ...WAITS, reason })
    expect([settled.status, returned.status]).toEqual([503, 503])
    expect(await acts()).toHaveLength(8)
  })
})
