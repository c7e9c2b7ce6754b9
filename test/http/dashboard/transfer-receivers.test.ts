import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Party } from '../../../src/domain/pix/party.ts'
import type { LookUpKeyOutcome } from '../../../src/domain/pix-keys/key-look-up.ts'
import type { FindLookUpBudgetOutcome } from '../../../src/domain/pix-keys/look-up-budget.ts'
import { hiddenFieldOf } from '../support/browser.ts'
import { MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'
import {
  hiddenFieldsOfForm,
  openTransferForms,
  type ReadPage,
  type TransferForms,
} from '../support/transfer-forms.ts'

/** The form of a transfer shows whom it pays before its value is typed, by a look-up that the transfer then names. */

const ON = '/dashboard/transfers/new'
const RECEIVER = `${ON}/receiver`
const CPF = '52998224725'
const OTHER_CPF = '12345678909'
const MASKED = '***982247**'

let forms: TransferForms
let fixture: TransferForms['fixture']
let answer: LookUpKeyOutcome
let budget: FindLookUpBudgetOutcome
let lookUps: string[] = []

beforeAll(async () => {
  forms = await openTransferForms({
    lookUpKey: async key => {
      lookUps.push(key)
      return answer
    },
    findLookUpBudget: async () => budget,
  })
  fixture = forms.fixture
})
afterAll(() => fixture?.close())
beforeEach(() => {
  answer = found({})
  budget = { kind: 'found', budget: { capacity: 500, left: 500, refillPerMinute: 20 } }
  lookUps = []
  forms.starts.length = 0
})

function found(owner: Partial<Party>): LookUpKeyOutcome {
  const bank = { code: '', name: 'Banco do Teste', ispb: '12345678' }
  const account = { account_number: '', account_agency: '', account_type: 'CHECKING' } as const
  return { kind: 'found', owner: { ...account, name: 'Maria Souza', document: CPF, bank, ...owner } }
}

/** A user of an account of its own, and the pages. */
async function open(options: Parameters<TransferForms['signIn']>[0] = {}) {
  const user = await forms.signIn(options)
  const pix_key = `${randomUUID()}@example.com`
  return {
    ...user,
    pix_key,
    identify: (fields: Record<string, string> = {}) => user.begin(ON, RECEIVER, { pix_key, ...fields }),
    review: (page: ReadPage, fields: Record<string, string> = {}) =>
      user.review(ON, page, { value: '12,50', ...fields }),
    confirm: (page: ReadPage) => user.confirm(ON, page),
  }
}

const countLookups = (account: string) =>
  fixture.orm.em.fork().execute('select outcome from key_lookup where account_uuid = ?', [account])

describe('a receiver that was paid before', () => {
  test('is offered while its key is typed, and says how often and when last, of this account and mode alone', async () => {
    const user = await open()
    const key = 'moinho@example.com'
    const paid = (uuid: string, at: string) =>
      fixture.orm.em.fork().execute(
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key, receiver, history,
           request_id, fingerprint, settled_at, end_to_end, created_at, updated_at)
         select ?, account_uuid, uuid, provider_account_uuid, 'settling', 100, ?, ?, '[]', 'r', 'f', ?, ?, ?, ? from connection where uuid = ?`,
        [
          uuid,
          key,
          JSON.stringify({ name: 'Moinho Sul', document: CPF }),
          at,
          `E${uuid}`.slice(0, 32),
          at,
          at,
          user.connection,
        ],
      )
    for (const at of ['2026-11-01T12:00:00Z', '2026-11-14T12:00:00Z']) await paid(randomUUID(), at)
    const page = await user.browser.get(`${ON}?mode=test`)
    expect(page.text).toContain(`<option value="${key}">Moinho Sul · ${MASKED}</option>`)
    const ask = async (browser: typeof user.browser, fields: Record<string, string>) =>
      (await browser.send(`${ON}/key`, { mode: 'test', ...fields }, { on: ON })).text
    expect(await ask(user.browser, { pix_key: 'MOINHO@example.com' })).toContain(
      'Já recebeu 2 transferências suas: Moinho Sul, a última em 14/11/2026, 09:00.',
    )
    expect(await ask(user.browser, { pix_key: 'outro@example.com' })).not.toContain('Já recebeu')
    expect(await ask(user.browser, { pix_key: key, mode: 'live' })).not.toContain('Já recebeu')
    const stranger = await open()
    expect((await stranger.browser.get(ON)).text).not.toContain('Moinho Sul')
    expect(await ask(stranger.browser, { pix_key: key })).not.toContain('Já recebeu')
  })
})

describe('a key that is found', () => {
  test('shows its owner, bank and masked document before a value is asked, and the transfer names the look-up', async () => {
    const user = await open()
    const first = await user.browser.get(ON)
    expect(first.text).not.toContain('name="value"')
    const page = await user.identify({ pix_key: ` ${user.pix_key.toUpperCase()} ` })
    expect([page.status, lookUps, forms.starts]).toEqual([200, [user.pix_key], []])
    for (const shown of ['Maria Souza', 'Banco do Teste', MASKED, user.pix_key])
      expect(page.text).toContain(shown)
    expect(page.text).not.toContain(CPF)
    expect(page.text).toContain('<input name="value"')
    const lookupUuid = hiddenFieldOf(page.text, 'lookup_uuid')!

    const review = await user.review(page)
    expect(review.text).toContain('Transferir R$ 12,50 para Maria Souza?')
    expect(review.text).toContain('Banco do Teste')
    expect([review.status, forms.starts]).toEqual([200, []])
    expect((await user.confirm(review)).status).toBe(503)
    expect(forms.readOrder()).toMatchObject({
      destination: { kind: 'key', pixKey: user.pix_key },
      lookup: { uuid: lookupUuid, onMismatch: 'REFUSE', owner: { name: 'Maria Souza', document: CPF } },
    })
    const acts = await fixture.orm.em
      .fork()
      .execute('select action, actor from operator_action where account_uuid = ? order by at', [user.account])
    expect(acts).toEqual(['key_lookup', 'transfer_create'].map(action => ({ action, actor: user.email })))
  })

  test('is bound to the document that was named where it matches', async () => {
    const user = await open()
    const page = await user.identify({ document: '529.982.247-25' })
    expect(hiddenFieldsOfForm(page.text)).toMatchObject({ document: CPF })
    await user.confirm(await user.review(page))
    expect(forms.readOrder()).toMatchObject({
      destination: { document: CPF },
      lookup: { onMismatch: 'REFUSE' },
    })
  })

  test('of a document that the bank masks is shown with a warning, up to the review', async () => {
    answer = found({ document: MASKED })
    const user = await open()
    const page = await user.identify({ document: CPF })
    const review = await user.review(page)
    for (const { text } of [page, review])
      expect(text).toContain('O banco mostra só uma parte do documento do titular')
    await user.confirm(review)
    const order = forms.readOrder()
    expect([order.destination, order.lookup?.onMismatch]).toMatchObject([
      { kind: 'key', document: null },
      'REFUSE',
    ])
  })

  test('of another document asks before a value is typed; whoever pays it all the same is warned up to the review', async () => {
    const user = await open()
    const asked = await user.identify({ document: OTHER_CPF })
    expect(asked.text).toContain('A chave não pertence ao documento 123.456.789-09.')
    expect(asked.text).toContain('Pagar para Maria Souza mesmo assim')
    expect(asked.text).not.toContain('<input name="value"')
    expect(hiddenFieldOf(asked.text, 'lookup_uuid')).toBeUndefined()
    const page = await user.identify({ document: OTHER_CPF, other_owner: 'true' })
    const review = await user.review(page)
    for (const { text } of [page, review]) expect(text).toContain('A chave não pertence ao documento')
    await user.confirm(review)
    const order = forms.readOrder()
    expect([order.destination, order.lookup?.onMismatch]).toMatchObject([
      { kind: 'key', document: null },
      'REFUSE',
    ])
    // The second look-up had a known answer.
    expect(lookUps).toEqual([user.pix_key])
  })

  test('of a document that is no one’s other than the owner’s cannot be forced by a form that was made up', async () => {
    const user = await open()
    const asked = await user.identify({ document: OTHER_CPF })
    const [{ uuid }] = (await fixture.orm.em
      .fork()
      .execute('select uuid from key_lookup where account_uuid = ?', [user.account])) as [{ uuid: string }]
    const form = {
      ...hiddenFieldsOfForm(asked.text),
      pix_key: user.pix_key,
      lookup_uuid: uuid,
      value: '1,00',
    }
    const refused = await user.browser.call('POST', ON, { form: { ...form, once: randomUUID() } })
    expect([refused.status, forms.starts]).toEqual([409, []])
    expect(refused.text).toContain('A chave pertence a outra pessoa')
  })

  test('has its name escaped', async () => {
    const bank = { code: '', name: MALICIOUS_TEXT, ispb: '' }
    answer = found({ name: MALICIOUS_TEXT, document: MALICIOUS_TEXT, bank })
    const user = await open()
    const page = await user.identify()
    const review = await user.review(page)
    for (const { text } of [page, review]) {
      expect(text).not.toContain('<script>alert')
      expect(text).toContain('&#60;script&#62;alert(1)')
    }
  })

  test('is looked up again after a quarter of an hour, and keeps what was typed', async () => {
    const user = await open()
    const page = await user.identify()
    await fixture.orm.em.fork().execute(
      `update key_lookup set created_at = created_at - interval '16 minutes', expires_at = expires_at - interval '16 minutes'
       where account_uuid = ?`,
      [user.account],
    )
    const refused = await user.review(page, { external_ref: 'NF 8812' })
    expect([refused.status, forms.starts]).toEqual([422, []])
    expect(refused.text).toContain('precisa ser uma consulta dos últimos 15 minutos')
    expect(hiddenFieldsOfForm(refused.text)).toMatchObject({ value: '12,50', external_ref: 'NF 8812' })
    const again = await user.identify({ value: '12,50', external_ref: 'NF 8812' })
    expect(again.text).toMatch(/<input name="value" value="12,50"/)
    expect(again.text).toMatch(/<input name="external_ref" value="NF 8812"/)
  })

  test('is not stored, or shown, where its author cannot be recorded', async () => {
    const user = await open()
    const em = fixture.orm.em.fork()
    await em.execute(`create function refuse_author() returns trigger language plpgsql as
      $$ begin raise exception 'the process ends here'; end $$`)
    await em.execute(
      'create trigger refused before insert on operator_action for each row execute function refuse_author()',
    )
    const { status, text } = await user
      .identify()
      .finally(() => em.execute('drop function refuse_author cascade'))
    expect([status, text.includes('Maria Souza'), await countLookups(user.account)]).toEqual([500, false, []])
  })
})

describe('a key that is not found', () => {
  test.each([
    ['pt-BR', { kind: 'not_found' }, 404, 'Nenhuma conta tem esta chave Pix.'],
    ['en', { kind: 'not_found' }, 404, 'No account has this PIX key.'],
    ['pt-BR', { kind: 'refused', code: 'key_blocked_for_fraud' }, 409, 'marcada por suspeita de fraude'],
    ['en', { kind: 'refused', code: 'key_blocked_for_fraud' }, 409, 'marked for suspected fraud'],
  ] as const)('is told in %s and leads to no value: %j', async (language, outcome, status, sentence) => {
    answer = outcome
    const user = await open({ language })
    const page = await user.identify()
    expect([page.status, page.text.includes(sentence)]).toEqual([status, true])
    expect(page.text).toContain(`value="${user.pix_key}"`)
    for (const part of ['<input name="value"', 'name="unchecked"']) expect(page.text).not.toContain(part)
  })

  test('is a wrong field where it is no key', async () => {
    const user = await open()
    const page = await user.identify({ pix_key: MALICIOUS_TEXT, document: '1' })
    expect([page.status, lookUps]).toEqual([422, []])
    for (const id of ['in-pix_key', 'in-document']) expect(page.text).toContain(`id="${id}-wrong"`)
    expect(page.text).not.toContain('<script>alert')
  })
})

describe('without an answer', () => {
  const spent = { kind: 'found', budget: { capacity: 500, left: 19, refillPerMinute: 20 } } as const

  test.each([
    ['pt-BR', 'O banco não permite consultar mais chaves agora. Tente de novo em 3 segundos'],
    ['en', 'The bank allows no further look-up of a key now. Try again in 3 seconds'],
  ])('a budget that is used up is told in %s', async (language, sentence) => {
    budget = spent
    const user = await open({ language })
    const page = await user.identify()
    expect([page.status, page.text.includes(sentence), lookUps]).toEqual([429, true, []])
  })

  test.each([
    ['pt-BR', 'Foram consultadas chaves demais.'],
    ['en', 'Too many keys were looked up.'],
  ])('the limit of look-ups is told in %s', async (language, sentence) => {
    const user = await open({ language })
    await user.identify()
    await fixture.orm.em
      .fork()
      .execute('update key_lookup_count set count = 3000 where account_uuid = ?', [user.account])
    const page = await user.identify()
    expect([page.status, page.text.includes(sentence)]).toEqual([429, true])
  })

  test('the transfer may be sent without a look-up, and says so up to the review', async () => {
    answer = { kind: 'no_answer', code: 'timeout', message: 'none', isUnprocessed: true } as LookUpKeyOutcome
    const user = await open()
    const refused = await user.identify()
    expect([refused.status, refused.text.includes('name="unchecked"')]).toEqual([503, true])
    const page = await user.identify({ unchecked: 'true' })
    const review = await user.review(page)
    for (const { text } of [page, review]) expect(text).toContain('O titular da chave não foi consultado.')
    expect(review.text).toContain(`Transferir R$ 12,50 para ${user.pix_key}?`)
    await user.confirm(review)
    expect(forms.readOrder()).not.toHaveProperty('lookup')
  })

  test.each([
    ['pt-BR', 'os bancos desta conta não informam de quem é uma chave'],
    ['en', 'the banks of this account do not tell whose a key is'],
  ])(
    'a bank that looks up nothing still sends, and says in %s that nobody was looked up',
    async (language, sentence) => {
      const user = await open({ dialect: 'efi', language })
      const page = await user.identify({ document: CPF })
      expect([page.status, lookUps, await countLookups(user.account)]).toEqual([200, [], []])
      const review = await user.review(page, { value: '12', document: CPF })
      for (const { text } of [page, review]) expect(text).toContain(sentence)
      await user.confirm(review)
      expect(forms.readOrder()).toMatchObject({ destination: { pixKey: user.pix_key, document: CPF } })
      expect(forms.readOrder()).not.toHaveProperty('lookup')
    },
  )
})

test('a form whose session has ended shows its receiver again after the sign-in', async () => {
  const user = await open()
  const page = await user.identify()
  const fields = { ...hiddenFieldsOfForm(page.text), value: '9,87' }
  await fixture.orm.em
    .fork()
    .execute(
      'update dashboard_session set expires_at = now() where user_uuid = (select uuid from app_user where email = ?)',
      [user.email],
    )
  await user.browser.call('POST', ON, { form: fields })
  await user.browser.signIn(user.email, PASSWORD)
  const { text } = await user.browser.get(`${ON}?draft=1`)
  expect([text.includes('Maria Souza'), text.includes('value="9,87"')]).toEqual([true, true])
})

test('the page of the providers has the budget that is left, and when look-ups go on', async () => {
  const user = await open()
  expect((await user.browser.get('/dashboard/providers')).text).not.toContain('Consultas de chaves Pix')
  await user.identify()
  const { text } = await user.browser.get('/dashboard/providers')
  expect(text).toMatch(
    /<progress max="500" value="499" aria-label="Consultas de chaves Pix: Restam 499 de 500">/,
  )
  await fixture.orm.em.fork().execute(
    `update lookup_budget set tokens_left = 10, at = now(), read_at = now() - interval '3 minutes'
       where provider_account_uuid = (select provider_account_uuid from connection where uuid = ?)`,
    [user.connection],
  )
  const low = await user.browser.get('/dashboard/providers')
  expect(low.text).toContain('Restam 10 de 500')
  expect(low.text).toContain('próxima consulta em 30 segundos')
  expect(low.text).toContain('Informado pelo banco há 3 minutos')
})

test('no key, name or document of a look-up is in a log line', async () => {
  const user = await open()
  await user.confirm(await user.review(await user.identify({ document: CPF })))
  answer = { kind: 'not_found' }
  const other = `${randomUUID()}@example.com`
  await user.identify({ pix_key: other })
  const lines = fixture.lines.join('')
  expect(lines).toContain(RECEIVER)
  for (const secret of [user.pix_key, other, 'Maria Souza', CPF]) expect(lines).not.toContain(secret)
})
