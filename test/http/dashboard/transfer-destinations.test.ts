import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import type { LookUpKeyOutcome } from '../../../src/domain/pix-keys/key-look-up.ts'
import { hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'
import {
  hiddenFieldsOfForm,
  openTransferForms,
  type ReadPage,
  type TransferForms,
} from '../support/transfer-forms.ts'

/** The forms of a transfer to a bank account and of one that pays a code, and what the limits say before it is ordered. */

const ACCOUNT = '/dashboard/transfers/new/account'
const CODE = '/dashboard/transfers/new/code'
const NUBANK = '18236120'
const RECEIVER = {
  'receiver.name': 'Maria Souza',
  'receiver.document': '529.982.247-25',
  'receiver.ispb': '260',
  'receiver.agency': '0001',
  'receiver.account': '12345-X',
  'receiver.account_type': 'SAVINGS',
}

let forms: TransferForms
let answer: LookUpKeyOutcome
beforeAll(async () => {
  forms = await openTransferForms({
    lookUpKey: async () => answer,
    findLookUpBudget: async () => ({ kind: 'found', budget: { capacity: 9, left: 9, refillPerMinute: 2 } }),
  })
})
afterAll(() => forms?.fixture.close())
beforeEach(() => {
  forms.starts.length = 0
  answer = { kind: 'not_found' }
})

type Options = Parameters<TransferForms['signIn']>[0]
const execute = (sql: string, values: unknown[]) => forms.fixture.orm.em.fork().execute(sql, values)

/** Gives an account limits, in force at once. */
function setLimits(account: string, limits: Partial<typeof NO_LIMITS>) {
  const text = JSON.stringify({ ...NO_LIMITS, ...limits })
  return execute('insert into account_limits (account_uuid, limits, version) values (?, ?::jsonb, 1)', [
    account,
    text,
  ])
}

describe('a transfer to a bank account', () => {
  async function open(options?: Options) {
    const user = await forms.signIn(options)
    return {
      ...user,
      identify: (fields: Record<string, string> = {}) =>
        user.begin(ACCOUNT, `${ACCOUNT}/receiver`, { ...RECEIVER, ...fields }),
      review: (page: ReadPage, fields: Record<string, string> = {}) =>
        user.review(ACCOUNT, page, { value: '12,50', ...fields }),
      confirm: (page: ReadPage) => user.confirm(ACCOUNT, page),
    }
  }

  test('shows whom it pays before its value is asked, and is reviewed before it is ordered', async () => {
    const user = await open()
    expect((await user.browser.get('/dashboard/transfers/new')).text).toContain(`href="${ACCOUNT}?mode=`)
    expect((await user.browser.get(ACCOUNT)).text).not.toContain('name="value"')
    const page = await user.identify()
    expect([page.status, forms.starts]).toEqual([200, []])
    const shown = ['Maria Souza', '529.982.247-25', '260 · NU PAGAMENTOS', '123450 (poupança)']
    for (const text of shown) expect(page.text).toContain(text)
    expect(page.text).toContain('<input name="value"')

    const review = await user.review(page, { external_ref: 'NF 77' })
    expect([review.status, forms.starts]).toEqual([200, []])
    expect(review.text).toContain('Transferir R$ 12,50 para Maria Souza?')
    for (const text of [...shown, 'não é consultado antes do envio']) expect(review.text).toContain(text)
    const back = await user.browser.call('POST', `${ACCOUNT}/edit`, { form: hiddenFieldsOf(review.text) })
    expect([back.status, forms.starts]).toEqual([200, []])
    for (const typed of ['12,50', 'NF 77']) expect(back.text).toContain(`value="${typed}"`)
    expect((await user.confirm(review)).status).toBe(503)
    expect(forms.readOrder()).toMatchObject({
      valueCents: 1250,
      externalRef: 'NF 77',
      destination: {
        kind: 'account',
        account: {
          name: 'Maria Souza',
          document: '52998224725',
          account_agency: '0001',
          account_number: '123450',
          account_type: 'SAVINGS',
          bank: { ispb: NUBANK, code: '260' },
        },
      },
    })
    expect(
      await execute('select action, actor from operator_action where account_uuid = ?', [user.account]),
    ).toEqual([{ action: 'transfer_create', actor: user.email }])
  })

  test('names every wrong field at its field, and keeps what was typed', async () => {
    const user = await open()
    const page = await user.identify({
      'receiver.name': '',
      'receiver.document': '1',
      'receiver.ispb': MALICIOUS_TEXT,
      'receiver.agency': '12345',
      'receiver.account': 'abc',
    })
    expect([page.status, forms.starts]).toEqual([422, []])
    for (const name of ['name', 'document', 'ispb', 'agency', 'account'])
      expect(page.text).toContain(`id="in-receiver.${name}-wrong"`)
    expect(page.text).toContain('precisa ser o nome, o código COMPE ou o ISPB de um banco')
    expect(page.text).not.toContain('<script>alert')
    for (const typed of ['12345', 'abc']) expect(page.text).toContain(`value="${typed}"`)
    expect(page.text).toContain('<option value="SAVINGS" selected>')
  })

  test('offers the banks that a name finds, of which one is chosen', async () => {
    const user = await open()
    const asked = await user.identify({ 'receiver.ispb': 'itaú' })
    expect([asked.status, asked.text.includes('precisa ser escolhido entre os bancos listados')]).toEqual([
      422,
      true,
    ])
    expect(asked.text).toContain('name="chosen_ispb" value="60701190"')
    const page = await user.identify({ 'receiver.ispb': 'itaú', chosen_ispb: '60701190' })
    expect(page.text).toMatch(/341 · ITAÚ UNIBANCO S\.A\./)
    // Another text than the one that has found the bank chooses again.
    expect((await user.identify({ 'receiver.ispb': 'bradesco', chosen_ispb: '60701190' })).status).toBe(422)
    const typing = await user.browser.send(
      `${ACCOUNT}/banks`,
      { 'receiver.ispb': 'nubanco' },
      { on: ACCOUNT },
    )
    expect(typing.text).toContain('Nenhum banco com este nome ou código.')
    const found = await user.browser.send(`${ACCOUNT}/banks`, { 'receiver.ispb': 'Nubank' }, { on: ACCOUNT })
    expect(found.text).toContain(`value="${NUBANK}" checked`)
  })

  test('may name an institution that has no code by its ISPB', async () => {
    const user = await open()
    const review = await user.review(await user.identify({ 'receiver.ispb': '99999a99' }))
    await user.confirm(review)
    expect(forms.readOrder()).toMatchObject({
      destination: { account: { bank: { ispb: '99999A99', code: '' } } },
    })
  })

  test('of a type that no provider pays is refused before a value is typed', async () => {
    const user = await open({ dialect: 'efi' })
    const page = await user.identify({ 'receiver.account_type': 'SALARY' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('id="in-receiver.account_type-wrong"')
    expect(page.text).toContain('value="Maria Souza"')
  })

  test('points out an equal one of the last day', async () => {
    const user = await open()
    const page = await user.identify()
    await execute(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, bank_account, document,
         history, request_id, fingerprint, created_at, updated_at)
       select gen_random_uuid(), account_uuid, uuid, provider_account_uuid, 'created', 1250, ?::jsonb, '52998224725',
         '[{"status": "PROCESSING", "created_at": "2026-11-29T12:00:00.000000Z"}]', 'r', 'f', now(), now()
       from connection where uuid = ?`,
      [
        JSON.stringify({
          name: 'Maria Souza',
          document: '52998224725',
          account_number: '00123450',
          account_agency: '1',
          bank: { ispb: NUBANK, code: '260', name: 'NU' },
          account_type: 'SAVINGS',
        }),
        user.connection,
      ],
    )
    const review = await user.review(page)
    expect(review.text).toContain('Já existe uma transferência de R$ 12,50 para este recebedor')
    expect(hiddenFieldsOf(review.text)).toMatchObject({ allow_duplicate: 'true' })
    expect((await user.review(page, { value: '12,51' })).text).not.toContain('Já existe uma transferência')
  })
})

describe('paying a code', () => {
  const key = () => `${randomUUID()}@example.com`
  const buildCode = (more: { key: string; cents?: number; txid?: string }) =>
    buildStaticBrCode({ cents: null, txid: 'BALCAO9', receiverName: 'Loja da Ana', ...more })

  async function open(options?: Options) {
    const user = await forms.signIn(options)
    return {
      ...user,
      read: (payload: string, fields: Record<string, string> = {}) =>
        user.begin(CODE, `${CODE}/read`, { payload, ...fields }),
      review: (page: ReadPage, fields: Record<string, string> = {}) => user.review(CODE, page, fields),
      confirm: (page: ReadPage) => user.confirm(CODE, page),
    }
  }

  const owner = (name: string): LookUpKeyOutcome => ({
    kind: 'found',
    owner: {
      name,
      document: '***982247**',
      account_number: '',
      account_agency: '',
      account_type: 'CHECKING',
      bank: { code: '', name: 'Banco do Teste', ispb: '12345678' },
    },
  })

  test('shows whom and how much, and asks for no value that the code has', async () => {
    answer = owner('Loja da Ana Ltda')
    const user = await open()
    const pixKey = key()
    const payload = buildCode({ key: pixKey, cents: 750 })
    // As it is copied from a document.
    const page = await user.read(`  ${payload.slice(0, 30)}\r\n${payload.slice(30)}\n`)
    expect([page.status, forms.starts]).toEqual([200, []])
    for (const text of ['Loja da Ana Ltda', 'Banco do Teste', '***982247**', pixKey, 'R$ 7,50', 'estático'])
      expect(page.text).toContain(text)
    expect(page.text).not.toContain('<input name="value"')
    expect(page.text).not.toContain('O código está em nome de')

    const review = await user.review(page, { external_ref: 'conta 3' })
    expect(review.text).toContain('Transferir R$ 7,50 para Loja da Ana Ltda?')
    expect([review.status, forms.starts]).toEqual([200, []])
    expect((await user.confirm(review)).status).toBe(503)
    expect(forms.readOrder()).toMatchObject({
      valueCents: 750,
      externalRef: 'conta 3',
      destination: { kind: 'code', pixKey, code: { payload, initiation: 'QR_STATIC', txid: 'BALCAO9' } },
      lookup: { owner: { name: 'Loja da Ana Ltda' } },
    })
    const acts = await execute('select action from operator_action where account_uuid = ? order by at', [
      user.account,
    ])
    expect(acts).toEqual(['qr_code_read', 'key_lookup', 'transfer_create'].map(action => ({ action })))
  })

  test('asks for the value of an open code, and keeps what was typed', async () => {
    answer = owner('Ana Silva')
    const user = await open()
    const page = await user.read(buildCode({ key: key() }))
    expect(page.text).toContain('Quem paga escolhe o valor deste código.')
    // The code is written for a name that the owner of the key does not have.
    expect(page.text).toContain('O código está em nome de “Loja da Ana”')
    const without = await user.review(page, { value: '', external_ref: 'conta 4' })
    expect([without.status, without.text.includes('id="in-value-wrong"')]).toEqual([422, true])
    expect(without.text).toContain('value="conta 4"')
    const review = await user.review(page, { value: '3,21' })
    await user.confirm(review)
    expect(forms.readOrder()).toMatchObject({ valueCents: 321 })
  })

  test('warns that nobody has verified the name where no bank looks keys up', async () => {
    const user = await open({ dialect: 'efi' })
    const page = await user.read(buildCode({ key: key(), cents: 750, txid: '***' }))
    expect(page.text).toContain('O nome é o que está escrito no código')
    const review = await user.review(page)
    expect([review.status, review.text.includes('O nome é o que está escrito no código')]).toEqual([
      200,
      true,
    ])
    await user.confirm(review)
    expect(forms.readOrder()).not.toHaveProperty('lookup')
  })

  test.each([
    ['whose key is of no account', { kind: 'not_found' }, 404, 'Nenhuma conta tem esta chave Pix.'],
    [
      'whose key is marked for fraud',
      { kind: 'refused', code: 'key_blocked_for_fraud' },
      409,
      'marcada por suspeita de fraude',
    ],
  ] as const)('a code %s leads to no value', async (_, outcome, status, sentence) => {
    answer = outcome
    const user = await open()
    const payload = buildCode({ key: key(), cents: 750 })
    const page = await user.read(payload)
    expect([page.status, page.text.includes(sentence), page.text.includes('name="external_ref"')]).toEqual([
      status,
      true,
      false,
    ])
    expect(page.text).toContain(payload)
  })

  test('a code with a wrong character is refused at its field', async () => {
    const user = await open()
    const wrong = `${buildCode({ key: key(), cents: 750 }).slice(0, -4)}0000`
    const page = await user.read(wrong)
    expect([page.status, page.text.includes('id="in-payload-wrong"')]).toEqual([422, true])
    expect(page.text).toContain('precisa ter o CRC correto')
    expect(page.text).toContain(wrong)
    const hostile = await user.read(MALICIOUS_TEXT)
    expect([hostile.status, hostile.text.includes('<script>alert')]).toEqual([422, false])
  })

  test.each([
    ['PAID', 'Este código já foi pago.'],
    ['EXPIRED', 'Este código venceu'],
    ['REMOVED', 'removeu esta cobrança'],
    ['TOO_EARLY', 'ainda não pode ser pago'],
  ])('a code that is %s says so with what it says, and has no way on', async (status, sentence) => {
    const user = await open({ dialect: 'efi' })
    const page = await user.read(buildCode({ key: key(), cents: 750, txid: '***' }))
    const fields = hiddenFieldsOfForm(page.text)
    await execute('update code_reading set status = ? where uuid = ?', [status, fields.read_uuid])
    const late = await user.review(page, { value: 'x' })
    expect(late.text).toContain(sentence)
    expect(late.text).toContain('Loja da Ana')
    expect(late.text).not.toContain('name="external_ref" value="" id')
  })

  test('of another account is no reading of this one', async () => {
    const [user, other] = [await open({ dialect: 'efi' }), await open({ dialect: 'efi' })]
    const page = await user.read(buildCode({ key: key(), cents: 750, txid: '***' }))
    const { read_uuid } = hiddenFieldsOfForm(page.text) as { read_uuid: string }
    const _csrf = hiddenFieldOf((await other.browser.get(CODE)).text, '_csrf')!
    const form = { _csrf, read_uuid, mode: 'test', value: '', once: randomUUID() }
    const refused = await other.browser.call('POST', CODE, { form })
    expect([refused.status, refused.text.includes('Loja da Ana'), forms.starts]).toEqual([422, false, []])
  })
})

describe('the limits of the account', () => {
  const ON = '/dashboard/transfers/new'
  const identify = (user: Awaited<ReturnType<TransferForms['signIn']>>) =>
    user.begin(ON, `${ON}/receiver`, { pix_key: `${randomUUID()}@example.com` })

  test.each([
    ['per_transfer', { perTransferCents: 1_000 }, 'Uma transferência envia até R$ 10,00.'],
    ['per_day', { perDayCents: 1_000 }, 'Restavam R$ 10,00 no dia.'],
    [
      'new_receiver',
      { newReceiver: { valueCents: 500, hours: 24 } },
      'Restavam R$ 5,00 para este favorecido novo.',
    ],
    [
      'allowed_receivers_only',
      { allowedReceiversOnly: true },
      'Só favorecidos de confiança podem ser pagos.',
    ],
  ])(
    '%s refuse at the review what they would refuse later, and nothing is stored',
    async (_, limits, sentence) => {
      const user = await forms.signIn({ dialect: 'efi' })
      await setLimits(user.account, limits)
      const page = await identify(user)
      const refused = await user.review(ON, page, { value: '12,50', external_ref: 'NF 9' })
      expect([refused.status, forms.starts]).toEqual([422, []])
      expect(refused.text).toContain(sentence)
      expect(refused.text).toContain('id="in-value-wrong"')
      for (const typed of ['12,50', 'NF 9']) expect(refused.text).toContain(`value="${typed}"`)
      expect(await execute('select uuid from transfer where account_uuid = ?', [user.account])).toEqual([])
    },
  )

  test('are shown with what is used of them, and as a value is typed', async () => {
    const user = await forms.signIn({ dialect: 'efi' })
    await setLimits(user.account, {
      perDayCents: 200_000,
      approvals: { aboveCents: 10_000, count: 1, expiresHours: 72, calloutUrl: null },
    })
    await addUser(forms.fixture.orm.em.fork(), {
      email: `bia-${user.account}@trilho.test`,
      password: PASSWORD,
      accountUuid: user.account,
      role: 'finance',
    })
    await addUser(forms.fixture.orm.em.fork(), {
      email: `dev-${user.account}@trilho.test`,
      password: PASSWORD,
      accountUuid: user.account,
      role: 'developer',
    })
    const page = await identify(user)
    expect(page.text).toContain('aria-label="R$ 0,00 de R$ 2.000,00"')
    const type = async (value: string) => {
      const form = { ...hiddenFieldsOfForm(page.text), value }
      return (await user.browser.call('POST', `${ON}/limits`, { form })).text.replaceAll('\u00a0', ' ')
    }
    expect(await type('100')).not.toContain('class="note')
    for (const nothing of ['', 'x', '0']) expect(await type(nothing)).not.toContain('class="note')
    const waiting = await type('100,01')
    expect(waiting).toContain(
      'Acima de R$ 100,00, a transferência espera a aprovação de uma outra pessoa por até 72 h.',
    )
    expect(waiting).toContain('a aprovação não pode ser sua')
    expect(waiting).toContain(`Pode aprovar: bia-${user.account}@trilho.test.`)
    expect(await type('12')).toContain('<p>Nenhum provedor tem este valor disponível.</p>')
    expect(await type('2.000,01')).toContain('class="note bad">Restavam R$ 2.000,00 no dia. Renova em')
  })

  test('say in the review who approves, and that nobody can where the account has no other user', async () => {
    const user = await forms.signIn({ dialect: 'efi', language: 'en' })
    await setLimits(user.account, {
      approvals: { aboveCents: 100, count: 2, expiresHours: 24, calloutUrl: 'https://shop.example/approve' },
    })
    const review = await user.review(ON, await identify(user), { value: '12.50' })
    expect(review.text).toMatch(/Above R\$ ?1\.00 the transfer waits for the approval of two other persons/)
    expect(review.text).toContain('No other user of the account may approve now')
    expect(review.text).toContain('Your server must approve it too.')
    expect(review.text).toMatch(/Ask for the approval of R\$ ?12\.50/)
    // A rule that has changed since is named before anything is ordered.
    await execute(
      `update account_limits set limits = jsonb_set(limits, '{approvals,count}', '1') where account_uuid = ?`,
      [user.account],
    )
    const again = await user.confirm(ON, review)
    expect([again.status, forms.starts]).toEqual([200, []])
    expect(again.text).toContain('<del>two other persons, within 24 h</del>')
  })
})
