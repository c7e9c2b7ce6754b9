import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ANSWER_TABLES } from '../../../docs/tables/answer-tables.ts'
import { refundPayout } from '../../../src/activities/refunds/refund-payout.ts'
import { transferPayout } from '../../../src/activities/transfers/transfer-payout.ts'
import { returnPayout } from '../../../src/activities/unmatched/return-payout.ts'
import { addUser } from '../../../src/admin/users.ts'
import {
  describeCause,
  isListedCause,
  listCauseCodes,
  readCauseTexts,
} from '../../../src/dashboard/i18n/causes.ts'
import { LANGUAGES, TRANSLATORS } from '../../../src/dashboard/i18n/translator.ts'
import { presentChargeHistory } from '../../../src/dashboard/pages/charges/charge-history.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { ERROR_CATALOGUE, failureOf } from '../../../src/domain/errors/error-catalogue.ts'
import { hasArrived } from '../../../src/domain/payouts/order-difference.ts'
import { OPERATOR_REJECTION, PREFLIGHT_CODES, unsentCodeOf } from '../../../src/domain/payouts/unsent-code.ts'
import { RAIL_CODES } from '../../../src/domain/pix/rail-codes.ts'
import { TRANSPORT_CODES } from '../../../src/domain/providers/transport-code.ts'
import { refundErrorCodeOf } from '../../../src/domain/refunds/refund.ts'
import type { PaymentStatus } from '../../../src/domain/shared/payment-status.ts'
import { depositReturnErrorCodeOf } from '../../../src/domain/unmatched/deposit-return.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

const src = join(import.meta.dirname, '../../../src')

/** Modules that store the code of an attempt, or of an operation. */
const STORING_FOLDERS = [
  'providers',
  'provider-access',
  ...['charges', 'payouts', 'transfers', 'refunds', 'unmatched', 'pix-keys', 'shared', 'limits'].map(
    noun => `activities/${noun}`,
  ),
  'activities/disaster-recovery',
]

const LITERAL_CODE =
  /\bcode: '(\w+)'|\.code(?: =| \?\?) '(\w+)'|(?:rejectForThisProvider|failureOf|unsent|refusalBy\w+)\(\s*'(\w+)'/g

/** Codes of those modules that are stored with no attempt and no operation, by what they belong to. */
const STORED_NOWHERE = {
  validation: ['custom'],
  disputes: ['dispute_ended', 'dispute_refused', 'dispute_unsupported', 'med_not_found', 'reply_refused'],
  revisions: ['not_supported', 'revision_unsupported'],
  messages: ['no_carrier', 'callout_interrupted'],
  lookUps: ['account_not_listed', 'debit_not_made', 'payer_not_reported', 'still_open'],
  signals: ['settlement_not_stored'],
}

function listLiteralCodes(): string[] {
  const files = STORING_FOLDERS.flatMap(folder =>
    readdirSync(join(src, folder), { recursive: true })
      .map(file => join(src, folder, String(file)))
      .filter(file => file.endsWith('.ts')),
  )
  const codes = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(LITERAL_CODE)].map(match => match.slice(1).find(Boolean)!),
  )
  const ignored = Object.values(STORED_NOWHERE).flat()
  return [...new Set(codes)].filter(code => !ignored.includes(code))
}

/** Lists the codes that functions return, as their texts have them. */
function listReturnedCodes(...functions: ((...args: never[]) => unknown)[]): string[] {
  return functions.flatMap(one =>
    [...one.toString().matchAll(/(?:return|[?:])\s*['"](\w+)['"]/g)].map(match => match[1]!),
  )
}

const sources = {
  rail: Object.keys(RAIL_CODES),
  providers: Object.values(ANSWER_TABLES)
    .flatMap(calls => Object.values(calls).flat())
    .flatMap(({ meaning }) => (meaning.kind === 'refused' ? [meaning.code] : [])),
  transport: [...TRANSPORT_CODES],
  preflight: [...PREFLIGHT_CODES, OPERATOR_REJECTION.code],
  rules: listReturnedCodes(
    refundErrorCodeOf,
    depositReturnErrorCodeOf,
    unsentCodeOf,
    ...[transferPayout, refundPayout, returnPayout].map(({ closedReason }) => closedReason!),
  ),
  literals: listLiteralCodes(),
}
const ignoredCodes: string[] = Object.values(STORED_NOWHERE).flat()

describe('the catalogue of causes', () => {
  test.each(Object.entries(sources))('has every code of the %s that can be stored', (_, codes) => {
    expect(codes.length).toBeGreaterThan(4)
    expect([...new Set(codes)].filter(code => !isListedCause(code) && !ignoredCodes.includes(code))).toEqual(
      [],
    )
  })

  test('has one entry for all HTTP statuses, and one for operations that had ended', () => {
    expect(
      ['http_400', 'http_503', 'cancelled', 'expired', 'settled'].filter(code => !isListedCause(code)),
    ).toEqual([])
    expect(describeCause('en', 'http_503')).toEqual(describeCause('en', 'http_400'))
  })

  test('has a title, a sentence and an action in both languages, and no text twice in the wrong language', () => {
    const [pt, en] = LANGUAGES.map(readCauseTexts) as [CauseTexts, CauseTexts]
    const codes = listCauseCodes().toSorted()
    expect(Object.keys(pt).toSorted()).toEqual(codes)
    expect(Object.keys(en).toSorted()).toEqual(codes)
    const isEmpty = (code: string) => [pt, en].some(one => !one[code]!.title || !/\.$/.test(one[code]!.text))
    expect(codes.filter(isEmpty)).toEqual([])
    const isUntranslated = (code: string) =>
      pt[code]!.title === en[code]!.title || pt[code]!.text === en[code]!.text
    expect(codes.filter(isUntranslated)).toEqual([])
    const actions = codes.map(code => describeCause('en', code).action).filter(action => action !== 'none')
    expect(actions.filter(action => !TRANSLATORS['pt-BR'].has(`causeAction.${action}`))).toEqual([])
  })

  test('explains answers that leave the outcome unknown', () => {
    expect(['awaiting_approval', 'value_differs', 'receiver_differs'].every(code => hasArrived(code))).toBe(
      true,
    )
    expect(describeCause('pt-BR', 'awaiting_approval').action).toBe('approve_there')
  })

  test('describes a code that it does not list as refused without a reason', () => {
    expect(describeCause('en', 'no_such_code')).toEqual(describeCause('en', 'unlisted'))
    expect(describeCause('en', 'constructor')).toEqual(describeCause('en', null))
  })
})
type CauseTexts = ReturnType<typeof readCauseTexts>

test('the history of a charge calls a refund a refund', () => {
  const history = (...statuses: PaymentStatus[]) =>
    presentChargeHistory(statuses.map(status => ({ status, created_at: '2026-11-30T00:00:00.000Z' }))).map(
      ({ status }) => status,
    )
  expect(history('PENDING', 'PROCESSING', 'PAID')).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  expect(history('PENDING', 'PAID', 'PROCESSING', 'PAID')).toEqual([
    'PENDING',
    'PAID',
    'REFUNDING',
    'REFUND_FAILED',
  ])
  expect(history('PAID', 'PROCESSING', 'PARTIALLY_REFUNDED', 'PROCESSING', 'REFUNDED')).toEqual([
    ...['PAID', 'REFUNDING', 'PARTIALLY_REFUNDED', 'REFUNDING', 'REFUNDED'],
  ])
})

/** What is stored in English with an operation and its attempt; no page shows it in Portuguese. */
const STORED_TEXTS = [
  'An English text of the service, stored with the row',
  ...Object.values(ERROR_CATALOGUE).map(({ message }) => message),
  ...Object.values(RAIL_CODES).map(({ meaning }) => meaning),
]
const [SENTINEL] = STORED_TEXTS as [string]

describe('a page of an operation that failed', () => {
  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
  })
  afterAll(() => fixture.close())

  const read = async (path: string, language: (typeof LANGUAGES)[number] = 'pt-BR') => {
    merchant.cookies.set('trilho_language', language)
    const { status, text } = await merchant.get(path)
    expect([path, status]).toEqual([path, 200])
    return text.replaceAll('\u00a0', ' ')
  }
  const expectNoEnglish = (text: string) =>
    expect(STORED_TEXTS.filter(stored => text.includes(stored))).toEqual([])

  type StoredAttempt = {
    state?: string
    code: string | null
    finality?: string
    refusedBy?: string
    providerMessage?: string
    missingCents?: number
    wasUnknown?: boolean
  }

  /** Replaces the attempts of an operation by one. */
  async function storeAttempt(
    [operation, subject]: [string, string],
    {
      state = 'rejected',
      code,
      finality,
      refusedBy,
      providerMessage,
      missingCents,
      wasUnknown,
    }: StoredAttempt,
  ) {
    await ours.sql('delete from attempt where subject_uuid = ? and operation = ?', [subject, operation])
    const uuid = randomUUID()
    await ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, finality, code,
         message, refused_by, provider_message, is_refused_before_call, missing_cents, was_unknown_from, was_unknown_until,
         created_at, updated_at)
       select ?, ?, ?, uuid, provider_account_uuid, 0, ?, ?, ?, ?, ?, ?, ?, ?,
         case when ?::boolean then now() - interval '7 minutes' end, case when ?::boolean then now() end, now(), now()
       from connection where uuid = ?`,
      [
        ...[uuid, operation, subject, state, finality ?? null, code, SENTINEL, refusedBy ?? null],
        ...[providerMessage ?? null, missingCents !== undefined, missingCents ?? null],
        ...[wasUnknown ?? false, wasUnknown ?? false, ours.connection],
      ],
    )
    return uuid
  }

  /** Stores a failure with the message that the service gives it. */
  const setFailure = (table: string, uuid: string, code: string) => {
    const known = code in ERROR_CATALOGUE ? failureOf(code as never) : { code, message: SENTINEL }
    const failure = code === OPERATOR_REJECTION.code ? OPERATOR_REJECTION : known
    return ours.sql(`update ${table} set failure = ?::jsonb where uuid = ?`, [JSON.stringify(failure), uuid])
  }

  const readAttempts = (text: string) => text.slice(text.indexOf('class="attempts"'))

  test.each(['AC03', 'insufficient_balance', 'settled_by_operator', 'not_started', 'no_such_code'])(
    'explains %s on a transfer and a refund, in both languages',
    async code => {
      await setFailure('transfer', ours.transfer, code)
      await setFailure('refund', ours.refund, code)
      for (const path of [`/dashboard/transfers/${ours.transfer}`, `/dashboard/refunds/${ours.refund}`])
        for (const language of LANGUAGES) {
          const text = await read(path, language)
          const { title, text: sentence, action } = describeCause(language, code)
          expect(text).toContain(`<div class="note bad"><p><strong>${title}</strong></p>`)
          expect(text).toContain(`${sentence} ${TRANSLATORS[language](`causeAction.${action}`)}`)
          expect(text).toContain(`<code>${code}</code>`)
          if (language === 'pt-BR') expectNoEnglish(text)
        }
    },
  )

  test('explains a charge that no provider issued', async () => {
    const charge = await fixture.insertCharge(ours.connection)
    const attempts = [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'expiry_too_short' }]
    const failure = JSON.stringify({ code: 'expiry_too_short', message: SENTINEL, attempts })
    await ours.sql(`update charge set state = 'failed', failure = ?::jsonb where uuid = ?`, [failure, charge])
    await storeAttempt(['issue', charge], {
      code: 'expiry_too_short',
      finality: 'other_may_help',
      refusedBy: 'service',
    })
    const text = await read(`/dashboard/charges/${charge}`)
    expect(text).toContain('A cobrança venceria cedo demais')
    expect(readAttempts(text)).toContain('Nada foi enviado a este provedor.')
    expectNoEnglish(text)
    expect(await read(`/dashboard/charges/${charge}`, 'en')).toContain('The charge would expire too soon')
  })

  test.each<[who: string, attempt: StoredAttempt, shown: string, isQuoted: boolean]>([
    [
      'the service, with the balance that was missing',
      {
        code: 'insufficient_balance',
        finality: 'other_may_help',
        refusedBy: 'service',
        missingCents: 777_166_604,
      },
      'Não foi chamado: faltam R$ 7.771.666,04 no saldo disponível neste provedor.',
      false,
    ],
    [
      'the service, before anything was sent',
      { code: 'document_mismatch', finality: 'final', refusedBy: 'service' },
      'Nada foi enviado a este provedor. A chave não pertence ao CPF ou CNPJ informado',
      false,
    ],
    ['a pause', { state: 'unreachable', code: 'paused' }, 'Não foi chamado: A operação do serviço', false],
    [
      'the provider, in its own words',
      {
        code: 'provider_rejected',
        finality: 'final',
        refusedBy: 'provider',
        providerMessage: 'Pagamento negado por análises',
      },
      'O provedor disse: <q>Pagamento negado por análises</q>',
      true,
    ],
    [
      'the rail, without words of the provider',
      { code: 'AC07', finality: 'final', refusedBy: 'provider' },
      'A conta existia e foi encerrada pelo banco.',
      false,
    ],
    [
      'the network',
      { state: 'unreachable', code: 'timeout' },
      'O provedor não respondeu dentro do tempo',
      false,
    ],
    [
      'somebody before a disaster recovery',
      { code: 'AC03', finality: 'final' },
      'A ordem tinha terminado, sem mover dinheiro por este provedor, antes de uma recuperação de desastre. ',
      false,
    ],
    [
      'somebody, unknown why, before a disaster recovery',
      { code: 'interrupted', finality: 'final' },
      'antes de uma recuperação de desastre.</p>',
      false,
    ],
  ])('names who refused an attempt: %s', async (_, attempt, shown, isQuoted) => {
    await storeAttempt(['transfer', ours.transfer], attempt)
    const text = await read(`/dashboard/transfers/${ours.transfer}`)
    expect(readAttempts(text)).toContain(shown)
    expect(readAttempts(text).includes('<q>')).toBe(isQuoted)
    expectNoEnglish(text)
  })

  test('shows that the operation ended an attempt, when, and to operators by whom', async () => {
    await storeAttempt(['transfer', ours.transfer], {
      code: 'settled_by_operator',
      finality: 'final',
      refusedBy: 'operator',
    })
    await ours.sql('update attempt set message = ? where subject_uuid = ?', [
      OPERATOR_REJECTION.message,
      ours.transfer,
    ])
    const text = await read(`/dashboard/transfers/${ours.transfer}`)
    expect(readAttempts(text)).toMatch(/Encerrada pela operação em \d\d\/\d\d\/\d{4}/)
    expect(text).not.toContain(OPERATOR_REJECTION.message)
    await ours.sql('update attempt set message = ? where subject_uuid = ?', [
      'O banco confirmou',
      ours.transfer,
    ])
    expect(readAttempts(await read(`/dashboard/transfers/${ours.transfer}`))).toContain('O banco confirmou')
  })

  test('tells an operator in Portuguese why a provider gave no answer', async () => {
    const email = 'operator@cause.test'
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
    const operator = createBrowser(fixture)
    await operator.signIn(email, PASSWORD)
    const attempt = await storeAttempt(['transfer', ours.unknown], { state: 'unknown', code: 'timeout' })
    await ours.sql('update attempt set unknown_since = now() where uuid = ?', [attempt])
    await ours.sql(
      `insert into attempt_answer (attempt_uuid, sending, kind, code, message, occurrences, first_at, last_at)
       values (?, 1, 'no_answer', 'timeout', ?, 1, now(), now()), (?, 1, 'rejected', 'X1', 'Conta encerrada', 1, now(), now())`,
      [attempt, SENTINEL, attempt],
    )
    const { text: why } = describeCause('pt-BR', 'timeout')
    for (const path of [
      `/dashboard/operator/unknown/transfer/${ours.unknown}`,
      '/dashboard/operator/unknown',
    ]) {
      const { status, text } = await operator.get(path)
      expect([path, status, text.includes(why)]).toEqual([path, 200, true])
      expectNoEnglish(text)
      if (path.endsWith(ours.unknown)) expect(text).toContain('<small class="line">Conta encerrada</small>')
    }
  })

  test('keeps how long the outcome of an attempt was unknown', async () => {
    const attempt = await storeAttempt(['transfer', ours.transfer], {
      state: 'settled',
      code: null,
      wasUnknown: true,
    })
    await ours.sql(
      `insert into attempt_answer (attempt_uuid, sending, kind, code, occurrences, first_at, last_at)
       values (?, 1, 'unknown', 'timeout', 1, now(), now()), (?, 1, 'no_answer', 'timeout', 5, now(), now())`,
      [attempt, attempt],
    )
    const [pt, en] = [
      await read(`/dashboard/transfers/${ours.transfer}`),
      await read(`/dashboard/transfers/${ours.transfer}`, 'en'),
    ]
    expect(readAttempts(pt)).toMatch(/Ficou 7 minutos sem resultado, de .* a .*\. Consultas ao provedor: 5\./)
    expect(readAttempts(en)).toMatch(/The outcome was unknown for 7 minutes, .* polled: 5\./)
  })

  test('offers to try another key where the receiver is the cause, with everything but the key', async () => {
    await setFailure('transfer', ours.transfer, 'AC03')
    const link = `/dashboard/transfers/new?mode=test&#38;instead_of=${ours.transfer}`
    const page = `/dashboard/transfers/${ours.transfer}`
    expect(await read(page)).toContain(`<a href="${link}">Tentar com outra chave</a>`)
    const form = await read(link.replace('&#38;', '&'))
    expect(form).toContain('<input type="hidden" name="value" value="25,90">')
    expect(form).toContain('<input type="hidden" name="external_ref"')
    expect(form).toMatch(/<input name="pix_key" value="" id="in-pix_key"[^>]* required=""/)
    await setFailure('transfer', ours.transfer, 'insufficient_balance')
    expect(await read(page)).not.toContain('instead_of')
    for (const other of ['no-uuid', ours.waiting])
      expect(await read(`/dashboard/transfers/new?mode=test&instead_of=${other}`)).not.toContain(
        'name="value"',
      )
    const stranger = createBrowser(fixture)
    const accountUuid = await fixture.insertAccount()
    await addUser(fixture.orm.em.fork(), { email: 'copy@trilho.test', password: PASSWORD, accountUuid })
    await stranger.signIn('copy@trilho.test', PASSWORD)
    expect((await stranger.get(`/dashboard/transfers/new?instead_of=${ours.transfer}`)).status).toBe(404)
  })
})

describe('the page of a charge', () => {
  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  let page: string

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    page = `/dashboard/charges/${ours.charge}`
  })
  afterAll(() => fixture.close())

  const read = async (path = page) => (await merchant.get(path)).text.replaceAll('\u00a0', ' ')

  test('proposes to refund what is left, and names it', async () => {
    const text = await read()
    expect(text).toContain('<input name="value" value="1234,56" id="in-value"')
    expect(text).toContain('Ainda pode ser devolvido: R$ 1.234,56.')
    const tooMuch = await merchant.send(
      `${page}/refund`,
      { value: '2.000,00', once: randomUUID() },
      { on: page },
    )
    expect(tooMuch.status).toBe(422)
    expect(tooMuch.text.replaceAll('\u00a0', ' ')).toContain(
      'não pode passar de R$ 1.234,56, que é o que ainda pode ser devolvido da cobrança',
    )
    expect(tooMuch.text).toContain('value="2.000,00"')
  })

  test('shows what the charge leaves: fee, splits and refunds', async () => {
    expect(await read()).toMatch(/O que fica.*Cobrado<\/dt><dd>R\$ 1\.234,56<\/dd>.*Líquido/s)
    expect(await read()).toContain('R$ 129,62') // 10.5 % of the value.
    await ours.sql(`update split set status = 'CREDITED', credited_cents = 12962 where charge_uuid = ?`, [
      ours.charge,
    ])
    expect(await read()).toMatch(
      /Divisões<\/dt><dd>−R\$ 129,62<\/dd>.*Líquido<\/strong><\/dt><dd><strong>R\$ 1\.104,94/s,
    )
  })

  test('says that a refund is in progress only while it is', async () => {
    const accepted = `${page}?done=refund_accepted`
    expect(await read(accepted)).not.toContain('está em processamento')
    expect(await read(accepted)).toContain('<div id="done"></div>')
    expect(await read(`${page}?done=link_created`)).toContain('O link de pagamento foi criado.')
  })

  test('shows an open dispute first, with a link to it, also in the list', async () => {
    await ours.sql(
      `with claiming as (update dispute set claimed_cents = 1000 where uuid = ?)
       update charge set disputed_cents = 1000 where uuid = ?`,
      [ours.dispute, ours.charge],
    )
    const text = await read()
    const badges = [...text.matchAll(/<span class="status (\w+)">/g)].map(match => match[1])
    expect(badges.slice(0, 2)).toEqual(['disputed', 'paid'])
    expect(text).toContain('A cobrança tem uma contestação em aberto, de R$ 10,00')
    expect(text).toContain(`<a href="/dashboard/disputes/${ours.dispute}">Ver a contestação</a>`)
    expect(await read('/dashboard/charges')).toContain('<span class="status disputed">Contestada</span>')
  })
})
