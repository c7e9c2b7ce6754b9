import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { addUser } from '../../../src/admin/users.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

describe('confirmation', () => {
  /** Nothing that moves money or cannot be undone happens without a page that names the amount and the receiver. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  let temporalCalls: number

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes], {}, async () => {
      temporalCalls++
      return {} as Client
    })
    ours = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
  })
  afterAll(() => fixture.close())
  beforeEach(() => {
    temporalCalls = 0
  })

  const chargePath = () => `/dashboard/charges/${ours.charge}`
  const plain = (text: string) => text.replaceAll('\u00a0', ' ')

  test('a refund is confirmed by its amount and its payer before anything starts', async () => {
    const on = chargePath()
    const once = randomUUID()
    const question = await merchant.send(`${on}/refund`, { value: '12,5', once }, { on })
    expect([question.status, temporalCalls]).toEqual([200, 0])
    expect(plain(question.text)).toContain('<button type="submit" class="danger">Devolver R$ 12,50</button>')
    expect(question.text).not.toContain('<script>alert')
    expect(question.text).toContain('&#60;script&#62;alert(1)')
    expect(hiddenFieldsOf(question.text)).toMatchObject({ once, value: '12,5' })
    const answer = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(question.text) })
    expect([answer.status, temporalCalls > 0]).toEqual([503, true])
  })

  test('a refund of all that is left carries the text for the payer, which is checked', async () => {
    const on = chargePath()
    const form = { value: '', whole: '80,99', once: randomUUID() }
    const question = await merchant.send(`${on}/refund`, { ...form, description: ' Pedido 1042 ' }, { on })
    expect(question.status).toBe(200)
    expect(question.text).toMatch(/<dt>Mensagem ao pagador<\/dt>\s*<dd[^>]*>Pedido 1042<\/dd>/)
    expect(hiddenFieldsOf(question.text)).toMatchObject({ whole: '80,99', description: ' Pedido 1042 ' })
    const tooLong = await merchant.send(`${on}/refund`, { ...form, description: 'x'.repeat(141) }, { on })
    expect([tooLong.status, temporalCalls]).toEqual([422, 0])
    expect(tooLong.text).toMatch(/<input name="description" [^>]*aria-invalid="true"/)
  })

  test('an empty field refunds nothing', async () => {
    const on = chargePath()
    for (const value of ['', '   ']) {
      const { status, text } = await merchant.confirm(`${on}/refund`, { value, once: randomUUID() }, { on })
      expect([status, text.includes('é obrigatório'), temporalCalls]).toEqual([422, true, 0])
      expect(text).toMatch(
        /<input name="value" [^>]*aria-describedby="in-value-help in-value-wrong" aria-invalid="true" autofocus>/,
      )
      expect(text).toMatch(/<title>Erro: /)
    }
  })

  test('whoever confirms after a change is told what changed, and asked again', async () => {
    const on = chargePath()
    const question = await merchant.send(`${on}/refund`, { value: '10,00', once: randomUUID() }, { on })
    await ours.sql('update charge set external_ref = ? where uuid = ?', ['pedido 2', ours.charge])
    const changed = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(question.text) })
    expect([changed.status, temporalCalls]).toEqual([200, 0])
    expect(changed.text).toMatch(
      /<strong>Referência externa<\/strong>: <del>.*<\/del> → <ins>pedido 2<\/ins>/,
    )
    const confirmed = await merchant.call('POST', `${on}/refund`, { form: hiddenFieldsOf(changed.text) })
    expect([confirmed.status, temporalCalls > 0]).toEqual([503, true])
  })

  test('a confirmation of another charge, or one that was made up, confirms nothing', async () => {
    const on = chargePath()
    const form = { value: '10,00', once: randomUUID() }
    const of = async (confirmed: string) => merchant.send(`${on}/refund`, { ...form, confirmed }, { on })
    const other = await merchant.send(`/dashboard/charges/${ours.open}/cancel`, {}, { on })
    for (const confirmed of ['', '1', MALICIOUS_TEXT, hiddenFieldOf(other.text, 'confirmed')!]) {
      const { status, text } = await of(confirmed)
      expect([status, hiddenFieldOf(text, 'confirmed') !== undefined, temporalCalls]).toEqual([200, true, 0])
    }
  })

  test.each([
    ['pt-BR', '(11) 98888-7777', '+5511988887777', '+55 (11) 98888-7777', '9,99'],
    ['pt-BR', '529.982.247-25', '52998224725', '529.982.247-25', '934,56'],
    ['en', ' Maria@Example.com ', 'maria@example.com', 'maria@example.com', '9.99'],
  ])('a transfer in %s to %s is reviewed before it is sent', async (language, typed, key, shown, value) => {
    const on = '/dashboard/transfers/new'
    merchant.cookies.set('trilho_language', language)
    const form = { pix_key: typed, value, once: randomUUID(), mode: 'test' }
    const question = await merchant.send(on, form)
    merchant.cookies.set('trilho_language', 'pt-BR')
    expect([question.status, temporalCalls]).toEqual([200, 0])
    expect(hiddenFieldsOf(question.text)).toMatchObject({ pix_key: key, value, once: form.once })
    expect(question.text).toContain(shown)
    const typing = await merchant.send(`${on}/key`, { pix_key: typed }, { on })
    expect(typing.text).toContain(`<strong>${shown}</strong>`)
  })

  test('a transfer without a key or an amount is not reviewed, and keeps what was typed', async () => {
    const on = '/dashboard/transfers/new'
    const form = {
      pix_key: MALICIOUS_TEXT,
      value: '',
      scheduled_for: '2020-01-01T10:00',
      once: randomUUID(),
      mode: 'live',
    }
    const { status, text } = await merchant.send(on, form)
    expect([status, temporalCalls, hiddenFieldOf(text, 'confirmed')]).toEqual([422, 0, undefined])
    expect(text).toContain('value="&#34;&#39;&#62;&#60;script&#62;')
    expect(text).toContain('id="in-pix_key-wrong"')
    const noAmount = await merchant.send(on, { ...form, pix_key: 'maria@example.com' })
    expect([noAmount.status, noAmount.text.includes('id="in-value-wrong"')]).toEqual([422, true])
    const past = await merchant.send(on, { ...form, pix_key: 'maria@example.com', value: '1,00' })
    expect([past.status, past.text.includes('precisa estar no futuro')]).toEqual([422, true])
  })

  test('a charge needs an amount, and names every wrong field at its field', async () => {
    const on = '/dashboard/charges/new'
    const wrong = {
      value: '1,2,3',
      expires_in: '1',
      once: randomUUID(),
      mode: 'test',
      external_ref: MALICIOUS_TEXT,
      'debtor.document': '123',
      verify_sender: 'yes',
      'splits.0.value': 'x',
      'splits.0.type': 'FIXED',
      'splits.0.recipient_account_uuid': 'x',
    }
    const { status, text } = await merchant.send(on, wrong)
    expect([status, temporalCalls, text.includes('<script>alert')]).toEqual([422, 0, false])
    for (const field of [
      'value',
      'debtor.name',
      'debtor.document',
      'splits.0.value',
      'splits.0.recipient_account_uuid',
    ])
      expect(text).toContain(`id="in-${field}-wrong"`)
    const more = await merchant.send(on, { ...wrong, more: '1' })
    expect([more.status, more.text.includes('name="splits.1.value"')]).toEqual([200, true])
  })
})

describe('concurrent users', () => {
  /** Two users act on one object: the second is told what changed, and nothing is done twice or by mistake. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let first: ReturnType<typeof createBrowser>
  let second: ReturnType<typeof createBrowser>
  let temporalCalls = 0

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes], {}, async () => {
      temporalCalls++
      throw new TemporalConnectionError('away')
    })
    ours = await createFullAccount(fixture)
    first = createBrowser(fixture)
    await first.signIn(ours.email, PASSWORD)
    await addUser(fixture.orm.em.fork(), {
      email: 'bia@trilho.test',
      password: PASSWORD,
      accountUuid: ours.account,
    })
    second = createBrowser(fixture)
    await second.signIn('bia@trilho.test', PASSWORD)
  })
  afterAll(() => fixture?.close())

  /** Sends a form of a page with the version that the page had. */
  const sendOf = (page: { text: string }, path: string, form: Record<string, string> = {}) =>
    second.call('POST', path, {
      form: {
        _csrf: hiddenFieldOf(page.text, '_csrf')!,
        version: hiddenFieldOf(page.text, 'version')!,
        once: randomUUID(),
        ...form,
      },
    })

  const changeOf = (text: string) =>
    /nada foi feito\. Situação atual: (.*?)\.<\/p>/.exec(text.replaceAll('\u00a0', ' '))?.[1]

  test('a webhook that another user has disabled is not changed by the page from before', async () => {
    const on = `/dashboard/webhooks/${ours.webhook}`
    const page = await second.get(on)
    expect((await first.confirm(`${on}/change`, { status: 'DISABLED' }, { on })).status).toBe(303)
    const form = { url: 'https://127.0.0.1:1/mine', events: 'MED' }
    const answer = await sendOf(page, `${on}/change`, form)
    expect([answer.status, changeOf(answer.text)]).toEqual([409, 'Situação: Ativo → Desativado'])
    // What was typed is still there, and the page now has the present version.
    expect(answer.text).toContain('value="https://127.0.0.1:1/mine"')
    expect((await sendOf(answer, `${on}/change`, { events: 'MED' })).status).toBe(303)
  })

  test('who did what is on the page of the object', async () => {
    const { text } = await second.get(`/dashboard/webhooks/${ours.webhook}`)
    expect(text).toContain('<strong>Alterou o webhook</strong>')
    expect(text).toContain(ours.email)
    const { text: unmatched } = await second.get(`/dashboard/unmatched/${ours.unmatched}`)
    expect(unmatched).toContain('<strong>Devolução ao pagador</strong> <span>Operador do serviço</span>')
    // An operator's name and reason are not for merchants.
    expect(
      await ours.sql(`select from operator_action where subject = ?`, [`return/${ours.unmatched}`]),
    ).toHaveLength(1)
    expect(unmatched.slice(unmatched.indexOf('class="acted"'))).not.toContain('alert(1)')
  })

  test('a refund of a charge of which another user has returned a part names the change', async () => {
    const on = `/dashboard/charges/${ours.charge}`
    const page = await second.get(on)
    temporalCalls = 0
    await ours.sql('update charge set disputed_cents = 0 where uuid = ?', [ours.charge])
    await ours.sql(
      `insert into payment_link (uuid, account_uuid, mode, charge_uuid, token_hash, sealed_token, user_uuid, request_id, fingerprint, created_at)
     select gen_random_uuid(), account_uuid, 'test', ?, decode(repeat('ab', 32), 'hex'), ?, uuid, 'r', 'f', '2026-01-01T12:00:00Z'
     from app_user where email = ?`,
      [ours.charge, fixture.dependencies.sealer.seal('a'.repeat(32)), ours.email],
    )
    const answer = await sendOf(page, `${on}/refund`, { value: '10,00' })
    expect([answer.status, changeOf(answer.text), temporalCalls]).toEqual([
      ...[409, 'Link de pagamento: – → 01/01/2026, 09:00', 0],
    ])
    expect(answer.text).toMatch(/<input name="value" value="10,00"/)
    expect((await sendOf(answer, `${on}/refund`, { value: '10,00' })).status).toBe(200)
  })

  test('the order of providers that another user has changed is not overwritten', async () => {
    const on = '/dashboard/providers'
    const other = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B' })
    const page = await second.get(on)
    await fixture.replaceDefaultProviders(ours.account, [other, ours.connection])
    const form = { order: ours.connection, move: `add ${other}`, mode: 'test' }
    const answer = await sendOf(page, `${on}/order`, form)
    expect([answer.status, changeOf(answer.text)]).toEqual([
      409,
      'Ordem dos provedores: Provedor A (nominal) → Provedor B (nominal), Provedor A (nominal)',
    ])
  })

  test('a token that another user has revoked is said to be revoked', async () => {
    const on = '/dashboard/tokens'
    await first.send(on, { name: 'loja', mode: 'test', once: randomUUID() }, { on })
    const [{ uuid }] = (await ours.sql(`select uuid from token where name = 'loja'`)) as [{ uuid: string }]
    const question = await second.send(`${on}/${uuid}/revoke`, {}, { on })
    expect((await first.confirm(`${on}/${uuid}/revoke`, {}, { on })).status).toBe(303)
    expect(hiddenFieldOf(question.text, 'confirmed')).toBeDefined()
    const late = await second.send(`${on}/${uuid}/revoke`, {}, { on })
    expect([late.status, changeOf(late.text)]).toEqual([409, 'Revogado'])
  })

  test('a version that was made up, or is of another language, only asks for the confirmation', async () => {
    const on = `/dashboard/charges/${ours.open}`
    for (const version of ['x', Buffer.from('{"language":"en","facts":[]}').toString('base64url')]) {
      const answer = await second.send(`${on}/cancel`, { version }, { on })
      expect([answer.status, hiddenFieldOf(answer.text, 'confirmed') !== undefined]).toEqual([200, true])
    }
  })

  test('a test event is sent once by a form that is sent twice', async () => {
    const on = `/dashboard/webhooks/${ours.webhook}`
    await ours.sql(`update webhook set status = 'ACTIVE', disabled_reason = null where uuid = ?`, [
      ours.webhook,
    ])
    const form = { once: randomUUID() }
    for (const _ of [1, 2])
      expect((await first.send(`${on}/test`, form, { on })).headers.get('location')).toBe(
        `${on}?done=test_sent`,
      )
    expect(
      await ours.sql(`select from event where type = 'TEST' and owner_uuid = ?`, [ours.webhook]),
    ).toHaveLength(1)
  })

  test('a webhook or a key that is removed already is said to be removed', async () => {
    const on = `/dashboard/webhooks/${ours.webhook}`
    const page = await second.get(on)
    const question = await first.send(`${on}/remove`, {}, { on })
    for (const _ of [1, 2]) {
      const answer = await first.call('POST', `${on}/remove`, { form: hiddenFieldsOf(question.text) })
      expect(answer.headers.get('location')).toBe('/dashboard/webhooks?done=webhook_removed')
    }
    const late = await sendOf(page, `${on}/change`, { events: 'MED' })
    expect([late.status, changeOf(late.text)]).toEqual([409, 'Situação: Ativo → Excluído'])

    await ours.sql('update pix_key set state = ? where uuid = ?', ['removed', ours.pixKey])
    const [row] = await ours.sql('select key, is_simulated from pix_key where uuid = ?', [ours.pixKey])
    const form = { key: row!.key, mode: row!.is_simulated ? 'test' : 'live' }
    const answer = await first.send('/dashboard/keys/remove', form, { on: '/dashboard/keys' })
    expect(answer.headers.get('location')).toBe(`/dashboard/keys?mode=${form.mode}&done=key_removed`)
  })
})

describe('form resubmission', () => {
  /** What a page keeps after a refused form: no order is sent twice because an answer was lost. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  /** A Temporal that accepts every request without an answer, or one that is down. */
  let temporal: 'silent' | 'away'

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes], {}, async () => {
      if (temporal === 'away') throw new TemporalConnectionError('away')
      return {} as Client
    })
    ours = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
  })
  afterAll(() => fixture.close())
  beforeEach(() => {
    temporal = 'silent'
  })

  const refund = (value: string, once: string) => {
    const on = `/dashboard/charges/${ours.charge}`
    return merchant.confirm(`${on}/refund`, { value, once }, { on })
  }
  const SAME_FORM = 'o mesmo formulário'

  test('a refund that may have been accepted is submitted again with the same form, and polls its status', async () => {
    const once = randomUUID()
    const { status, text } = await refund('50,00', once)
    expect([status, hiddenFieldOf(text, 'once'), text.includes(SAME_FORM)]).toEqual([503, once, true])
    expect(text).toMatch(/<input name="value" value="50,00"/)
    expect(text).toMatch(/id="live" hx-get=/)
    // Nothing has changed yet: the page stays unchanged, with the input of its form.
    const live = /hx-get="([^"]+)"/.exec(text)![1]!
    expect((await merchant.get(live, { 'HX-Request': 'true' })).status).toBe(204)
  })

  test('a page that shows a rotated secret rotates none when it is reloaded, and shows no older one', async () => {
    const on = `/dashboard/webhooks/${ours.webhook}`
    await ours.sql('update webhook set sealed_secret = ? where uuid = ?', [
      fixture.dependencies.sealer.seal('whsec_b2xk'),
      ours.webhook,
    ])
    const sealed = async () =>
      (await ours.sql('select sealed_secret from webhook where uuid = ?', [ours.webhook]))[0]
    const replaces = hiddenFieldOf((await merchant.get(on)).text, 'replaces')!
    const first = await merchant.confirm(`${on}/rotate`, { replaces }, { on })
    expect([first.status, first.text.includes('value="whsec_')]).toEqual([200, true])
    const before = await sealed()
    for (const form of [{ replaces }, {}]) {
      const again = await merchant.confirm(`${on}/rotate`, form as Record<string, string>, { on })
      expect([again.status, again.headers.get('location')]).toEqual([303, `${on}?done=secret_replaced`])
    }
    expect(await sealed()).toEqual(before)
    const next = hiddenFieldOf(first.text, 'replaces')!
    expect((await merchant.confirm(`${on}/rotate`, { replaces: next }, { on })).status).toBe(200)
    expect(await sealed()).not.toEqual(before)
  })

  test('a page opened anew has a new form key', async () => {
    const path = `/dashboard/charges/${ours.charge}`
    const [one, other] = [await merchant.get(path), await merchant.get(path)]
    expect(hiddenFieldOf(one.text, 'once')).not.toBe(hiddenFieldOf(other.text, 'once'))
    expect(one.text).not.toMatch(/id="live" hx-get=/)
  })

  test('an undecided request keeps its form key', async () => {
    const once = randomUUID()
    const kept = async (value: string) => {
      const { status, text } = await refund(value, once)
      return [status, hiddenFieldOf(text, 'once') === once]
    }
    expect(await kept('50,00')).toEqual([503, true])
    temporal = 'away'
    expect(await kept('50,00')).toEqual([503, true])
    // An invalid form stores nothing, and the state of the earlier request is still unknown.
    expect(await kept('abc')).toEqual([422, true])
  })

  test('a request refused for good gets a new form key', async () => {
    const once = randomUUID()
    const by = { accountUuid: ours.account, mode: 'live' as const }
    const path = `/api/v1/payments/${ours.charge}/refund`
    const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key: `dashboard ${once}` })
    const fingerprint = fingerprintRequest({ body: { value: 5_000 }, connectionUuid: null })
    await ours.sql(
      `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, failure, request_id, fingerprint, created_at, updated_at)
     select ?, uuid, account_uuid, connection_uuid, provider_account_uuid, 'failed', 5000, movement_uuid, ?, 'r', ?, now(),
       now() from charge where uuid = ?`,
      [uuid, JSON.stringify({ code: 'no_provider_available', message: '' }), fingerprint, ours.charge],
    )
    for (const value of ['50,00', '60,00']) {
      const { status, text } = await refund(value, once)
      expect([value, status]).toEqual([value, value === '50,00' ? 503 : 422])
      expect([once, undefined]).not.toContain(hiddenFieldOf(text, 'once'))
      expect(text).not.toContain(SAME_FORM)
    }
  })

  test('a PIX key that may have been created is requested again by the same form with the same choices', async () => {
    const on = '/dashboard/keys'
    const once = randomUUID()
    const nominal = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_D', type: 'NOMINAL' })
    const form = { type: 'RANDOM', provider_uuid: nominal, once, mode: 'test' }
    for (const expected of [503, 503, 503, 429]) {
      const { status, text } = await merchant.send(on, form, { on: `${on}?mode=test` })
      expect([status, hiddenFieldOf(text, 'once')]).toEqual([expected, once])
      expect(text).toContain('<option value="RANDOM" selected>')
      expect(text.match(new RegExp(`<option value="${nominal}" selected>`, 'g'))).toHaveLength(1)
    }
  })

  test('an input that cannot be stored safely is dropped: a foreign form gets a key of its own', async () => {
    const { status, text } = await refund('1,00', MALICIOUS_TEXT)
    expect([status, text.includes('alert(1)>"')]).toEqual([422, false])
    expect(hiddenFieldOf(text, 'once')).toMatch(/^[\da-f-]{36}$/)
  })

  test('a dispute reply keeps its decision and its text', async () => {
    temporal = 'away'
    const on = `/dashboard/disputes/${ours.dispute}`
    const form = new FormData()
    const fields = {
      accept: '1',
      understood: '1',
      analysis: 'Nada a opor.',
      _csrf: hiddenFieldOf((await merchant.get(on)).text, '_csrf')!,
    }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    const { status, text } = await merchant.call('POST', `${on}/reply`, { multipart: form })
    expect(status).toBe(503)
    expect(text).toContain('name="accept" value="1" checked')
    expect(text).toContain('Nada a opor.</textarea>')
  })

  test('a code that may have created its key is sent again with the same form, and fills in no other', async () => {
    const on = '/dashboard/keys'
    const once = randomUUID()
    const form = {
      type: 'EMAIL',
      address: 'maria@example.com',
      auth_code_id: randomUUID(),
      auth_code: '123456',
    }
    temporal = 'away'
    await ours.sql('delete from pix_key_creation_times')
    const { text } = await merchant.send(on, { ...form, once, mode: 'test' }, { on })
    expect(hiddenFieldOf(text, 'once')).toBe(once)
    expect(text).toContain('name="auth_code" value="123456"')
    expect(text).not.toContain('<option value="EMAIL" selected>')
    const removed = await merchant.confirm(`${on}/remove`, { key: 'joana@example.com', mode: 'test' }, { on })
    expect([removed.status, removed.text.includes('joana@example.com')]).toEqual([404, false])
  })
})
