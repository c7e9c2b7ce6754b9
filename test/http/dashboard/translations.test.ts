import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { uuidSchema } from '../../../src/contract/shared/fields.ts'
import { normalizeAmount } from '../../../src/dashboard/http/form.ts'
import {
  negotiateLanguage,
  readDictionary,
  TRANSLATORS,
  translateFieldMessage,
} from '../../../src/dashboard/i18n/translator.ts'
import { reorderProviders } from '../../../src/dashboard/pages/providers.ts'
import { getFormats } from '../../../src/dashboard/views/formats.ts'
import { findPlottedMax, renderDailyBars, roundUpAxisMax } from '../../../src/dashboard/views/plots.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import { disputeMachine } from '../../../src/domain/disputes/dispute.ts'
import { MOVEMENT_REASONS } from '../../../src/domain/ledger/movement.ts'
import { pixKeyMachine } from '../../../src/domain/pix-keys/pix-key.ts'
import { CONNECTION_STATUSES, PROVIDER_NAMES } from '../../../src/domain/providers/provider.ts'
import { refundMachine } from '../../../src/domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../../src/domain/shared/payment-status.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import { ACCOUNT_ROLES } from '../../../src/domain/users/roles.ts'
import { DISABLED_REASONS } from '../../../src/domain/webhooks/webhook.ts'
import { type FieldMessage, formatFieldMessage } from '../../../src/http/field-message.ts'
import { validateSchema } from '../../../src/http/validate.ts'

const root = join(import.meta.dirname, '../../../src/dashboard')
const sources = readdirSync(root, { recursive: true })
  .map(String)
  .filter(file => /\.(eta|ts)$/.test(file))
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

describe('the dictionaries', () => {
  const [pt, en] = [readDictionary('pt-BR'), readDictionary('en')]

  test('have the same phrases with the same placeholders', () => {
    const gaps = (phrases: Record<string, string>) =>
      Object.entries(phrases).map(([name, phrase]) => [name, phrase.match(/\{\w+\}/g)?.toSorted() ?? []])
    expect(Object.fromEntries(gaps(en))).toEqual(Object.fromEntries(gaps(pt)))
  })

  test('have every phrase that a page names', () => {
    const names = sources.flatMap(({ text }) =>
      [...text.matchAll(/\bt\('([\w.-]+)'/g)].map(match => match[1]!),
    )
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter(name => !Object.hasOwn(pt, name))).toEqual([])
  })

  test('have every state, reason and provider', () => {
    const names = [
      ...PAYMENT_STATUSES.map(status => `status.${status}`),
      ...MOVEMENT_REASONS.map(reason => `reason.${reason}`),
      ...CONNECTION_STATUSES.map(status => `connection.${status}`),
      ...ACTS.map(act => `act.${act}`),
      ...STUCK_STATES.map(state => `stuck.${state}`),
      ...PROVIDER_NAMES.map(provider => `provider.${provider}`),
      ...OUTCOMES.map(outcome => `outcome.${outcome}`),
      ...OUTCOMES.filter(one => one !== 'orphan' && one !== 'closed').map(outcome =>
        outcome === 'rejected' ? 'why.rejected.final' : `why.${outcome}`,
      ),
    ]
    expect(names.filter(name => !Object.hasOwn(pt, name))).toEqual([])
  })

  test('have Portuguese states of the gender of a charge, a transfer, a refund and a dispute', () => {
    const statuses = [chargeMachine, transferMachine, refundMachine, disputeMachine].flatMap(machine =>
      machine.states.map(state => pt[`status.${machine.statusOf(state as never)}`]!),
    )
    expect(statuses.filter(word => /^\p{L}*[adi]o\b/u.test(word))).toEqual([])
  })

  test('have no unused phrase', () => {
    const pages = sources.map(({ text }) => text).join('\n')
    const words = new Set([...source.matchAll(/'([\w-]+)'|\b(\w+):/g)].map(match => match[1] ?? match[2]))
    const built = [...pages.matchAll(/`(\w+\.[^`\s]*?)\$\{/g)].map(match => match[1]!)
    /** Whether a page names the phrase, or builds its name from a value that the source has. */
    const isUsed = (name: string) => {
      if (pages.includes(`'${name}'`)) return true
      const prefix = built.filter(one => name.startsWith(one)).toSorted((a, b) => b.length - a.length)[0]
      if (prefix === undefined) return false
      return name
        .slice(prefix.length)
        .split('.')
        .every(one => ACTS.includes(one) || words.has(one))
    }
    expect(Object.keys(pt).filter(name => !isUsed(name))).toEqual([])
  })
})

test('every API error of a field has a Portuguese text', () => {
  const src = join(root, '..')
  const spoken = ['contract', 'api', 'http', 'webhook-client', 'dashboard'].flatMap(folder =>
    readdirSync(join(src, folder), { recursive: true })
      .map(file => join(src, folder, String(file)))
      .filter(file => file.endsWith('.ts') && !/openapi|field-messages/.test(file)),
  )
  const rules = ['charges/split', 'charges/due-errors', 'recurrences/recurrence-errors'].map(name =>
    join(src, `domain/${name}.ts`),
  )
  const messages = [...spoken, ...rules].flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(FIELD_MESSAGE)].map(match => match[1]!),
  )
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter(message => translateFieldMessage('pt-BR', message) === message)).toEqual([])
  const attempts = { text: 'is wrong: {count} attempts left', gaps: { count: 3 } }
  expect(translateFieldMessage('pt-BR', attempts)).toBe('não confere; tentativas restantes: 3')
  expect(translateFieldMessage('en', attempts)).toBe('is wrong: 3 attempts left')
  expect(translateFieldMessage('en', 'is required')).toBe('is required')
})

test('every zod error of a field has a Portuguese text', async () => {
  const contract = join(root, '../contract')
  const files = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  )
  const modules = await Promise.all(files.map(file => import(join(contract, file))))
  const schemas = modules.flatMap(module => Object.values(module).filter(one => one instanceof z.ZodObject))
  const messages = schemas.flatMap(schema =>
    Object.keys(schema.shape).flatMap(field =>
      WRONG.flatMap(value => messagesOf(schema, { [field]: value })),
    ),
  )
  expect(new Set(messages.map(formatFieldMessage)).size).toBeGreaterThan(40)
  const untranslated = messages.filter(
    message => translateFieldMessage('pt-BR', message) === formatFieldMessage(message),
  )
  expect(untranslated).toEqual([])
  const inPortuguese = (schema: z.ZodType, value: unknown) =>
    messagesOf(z.object({ value: schema }), { value }).map(message => translateFieldMessage('pt-BR', message))
  expect(inPortuguese(z.string().max(2), 'abc')).toEqual([
    'Grande demais: esperava que o texto tivesse <= 2 caracteres',
  ])
  expect(inPortuguese(z.int(), 'abc')).toEqual(['precisa ser um número'])
  expect(inPortuguese(uuidSchema, 'x')).toEqual(['precisa ser um UUID'])
})

const WRONG = [
  null,
  '',
  'x',
  'x'.repeat(5_000),
  '-1',
  '1.5',
  '1e12',
  -1,
  1.5,
  1e12,
  true,
  [],
  Array(200).fill('x'),
  {},
]

function messagesOf(schema: z.ZodType, input: unknown): FieldMessage[] {
  const checked = validateSchema(schema, input, 'body')
  return checked.kind === 'invalid' ? Object.values(checked.errors).flat() : []
}

test('every disabled reason of a webhook has a Portuguese text', () => {
  const reasons = [...Object.values(DISABLED_REASONS), 'unknown']
  expect(reasons.filter(reason => translateFieldMessage('pt-BR', reason) === reason)).toEqual([])
  const noTls = {
    text: 'must accept a TLS connection: {failure}',
    gaps: { failure: 'ECONNREFUSED' },
  }
  expect(translateFieldMessage('pt-BR', noTls)).toBe('precisa aceitar uma conexão TLS: ECONNREFUSED')
})

/** All modules of the product. */
const source = readdirSync(join(root, '..'), { recursive: true })
  .map(file => join(root, '..', String(file)))
  .filter(file => file.endsWith('.ts'))
  .map(file => readFileSync(file, 'utf8'))
  .join('\n')

/** Every recorded operator action, wherever the source names it. */
const ACTS = [...source.matchAll(/\baction: '(\w+)'/g)]
  .map(match => match[1]!)
  .concat('settle_settled', 'settle_rejected', 'pause_money_out', 'pause_everything')
  .concat(ACCOUNT_ROLES.map(role => `make_${role}`))
  .concat([...source.matchAll(/changeMember\(em, order, '(\w+)'/g)].map(match => match[1]!))

/** States that an operator's list of stuck operations names (`listStuckWorkflows`). */
const STUCK_STATES = [
  ...[chargeMachine.states, transferMachine.states, refundMachine.states, pixKeyMachine.states].flat(),
].filter(state => state !== 'pending' && /ing$|^created$/.test(state))

const FIELD_MESSAGE =
  /'((?:must|is|was|has|a percentage|the (?:splits|percentages)|this recipient|a charge with|no provider of|The (?:URL|host of)|Every address) [^'\n]{4,})'/g

const OUTCOMES = [
  'preparing',
  'prepared',
  'waiting',
  'calling',
  'accepted',
  'settled',
  'rejected',
  'unreachable',
  'unknown',
  'orphan',
  'closed',
  'duplicate',
]

describe('the templates', () => {
  const templates = sources.filter(({ file }) => file.endsWith('.eta'))

  test('write nothing unescaped but other templates', () => {
    const raw = templates.flatMap(({ file, text }) =>
      [...text.matchAll(/<%~(?! include\('\.\.?\/[\w/-]+', |\s*it\.body %>)[^%]*%>/g)].map(
        match => `${file}: ${match[0]}`,
      ),
    )
    expect(raw).toEqual([])
  })

  test('quote every attribute, and hold no script or style', () => {
    const wrong = templates.filter(
      ({ text }) =>
        /\s[\w-]+=<%=/.test(text) ||
        /<script(?! src=")/.test(text) ||
        /<style|\sstyle=|\son\w+=|javascript:/.test(text),
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  test('give every form that changes something its token', () => {
    const forms = templates.flatMap(({ file, text }) =>
      [...text.matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)].map(([form]) => ({ file, form })),
    )
    expect(forms.length).toBeGreaterThan(6)
    const without = forms.filter(({ form }) => !form.includes('name="_csrf" value="<%= it.csrf %>"'))
    // A payer has no session that another site could use.
    expect(without.map(({ file }) => file)).toEqual(['views/pay.eta'])
  })
})

test('a page uses the language of the browser, or the one chosen in it', () => {
  const asked: [string | undefined, string][] = [
    [undefined, 'en-US,en;q=0.9,pt;q=0.8'],
    [undefined, 'pt-BR,en;q=0.5'],
    [undefined, ''],
    ['en', 'pt-BR'],
    ['xx', 'de'],
  ]
  expect(asked.map(([cookie, accepted]) => negotiateLanguage(cookie, accepted))).toEqual([
    'en',
    'pt-BR',
    'pt-BR',
    'en',
    'pt-BR',
  ])
})

test('a missing phrase throws', () => {
  expect(() => TRANSLATORS.en('no.such.phrase')).toThrow('no.such.phrase')
  expect(() => TRANSLATORS.en('constructor')).toThrow('constructor')
})

test('numbers and times are formatted as in Brazil', () => {
  const format = getFormats('pt-BR')
  const plain = (text: string) => text.replaceAll(/\s/g, ' ')
  expect(plain(format.money(123_456_789))).toBe('R$ 1.234.567,89')
  expect(plain(format.money(-5))).toBe('−R$ 0,05')
  expect(format.time('2026-11-21T02:59:59.999Z').text).toBe(
    '<time datetime="2026-11-21T02:59:59.999Z">20/11/2026, 23:59:59</time>',
  )
  const at = '2026-11-21T02:59:59.999Z'
  const short = (now: string) => format.shortTime(at, new Date(now)).text.replaceAll(/<[^>]*>/g, '')
  expect(short('2026-01-01T03:00:00Z')).toBe('20/11, 23:59')
  expect(short('2026-01-01T02:59:59Z')).toBe('20/11/2026, 23:59')
  expect(short('2027-01-01T03:00:00Z')).toBe('20/11/2026, 23:59')
  expect(format.document('52998224725')).toBe('529.982.247-25')
  expect(format.document('12ABC34501DE35')).toBe('12.ABC.345/01DE-35')
  expect(format.document('***982247**')).toBe('***982247**')
  expect(format.age(new Date(0), new Date(3 * 3_600_000 + 5))).toBe('há 3 horas')
})

test.each([
  ['1.234,56', '1234.56'],
  ['R$ 1.234,56', '1234.56'],
  ['R$\u00a01.234,56', '1234.56'],
  [' 1234 ', '1234'],
  ['1.000,00', '1000.00'],
  ['1000,00', '1000.00'],
  ['1000', '1000'],
  ['1000.00', '1000.00'],
  ['1,000.00', '1000.00'],
  ['1.234.567', '1234567'],
  ['1,234,567', '1234567'],
  ['1.234.567,8', '1234567.8'],
  ['1,234,567.8', '1234567.8'],
  ['12.34', '12.34'],
  ['12,34', '12.34'],
  ['0,5', '0.5'],
  ['0.05', '0.05'],
  ['1,234.56', '1234.56'],
  ['', ''],
  ['  ', ''],
])('the amount %j is parsed as %j in either language', (typed, read) => {
  expect([normalizeAmount(typed, 'pt-BR'), normalizeAmount(typed, 'en')]).toEqual([read, read])
})

test.each([
  ['1.234', '1234', null],
  ['1,234', null, '1234'],
  ['12.000', '12000', null],
  ['12,000', null, '12000'],
])('the amount %j is %j in Portuguese and %j in English', (typed, portuguese, english) => {
  expect([normalizeAmount(typed, 'pt-BR'), normalizeAmount(typed, 'en')]).toEqual([portuguese, english])
})

test.each([
  ...['abc', '1a', '1R5', '5$', '$5', 'R$', '-1', '+1', '1e3', '0x10', '1 000', '１', '1,', ',5', '.5', '5.'],
  ...['0.500', '0,500', '1000.000', '1000,000', '1,2345', '1.2345', '01.000,00', '1.00,00', '1,00.00'],
  ...['1.234,567', '1,234.567', '1.23.456', '1,23,456', '1.234.56', '1,234,56', '1..000', '1.,5', "1'000"],
  ...['1.000.000,000', 'NaN', 'Infinity'],
])('%j is no amount in any language', typed => {
  expect([normalizeAmount(typed, 'pt-BR'), normalizeAmount(typed, 'en')]).toEqual([null, null])
})

test('a name in a phrase changes the order of no other text', () => {
  const ask = (payer: string) => TRANSLATORS['pt-BR']('refund.ask', { amount: 'R$ 12,50', payer })
  expect(ask('Ana \u202e\u2066\u2069\u200fB')).toBe(ask('Ana B'))
  expect(ask('\u202eאבג')).toBe(ask('\u2068אבג\u2069'))
})

test.each([
  ['up b', 'bac'],
  ['up a', 'abc'],
  ['down b', 'acb'],
  ['down c', 'abc'],
  ['remove b', 'ac'],
  ['add d', 'abcd'],
  ['', 'abc'],
])('the order abc after %s is %s', (move, expected) => {
  expect(reorderProviders([...'abc'], move).join('')).toBe(expected)
})

test.each([
  [0, 1_000],
  [999, 1_000],
  [1_001, 2_000],
  [148_745, 200_000],
  [81_000_00, 100_000_00],
])('a chart of up to %s centavos ends at %s', (cents, top) => {
  expect(roundUpAxisMax(cents)).toBe(top)
})

test.each([
  ['nothing', [0, 0], 0],
  ['one amount', [0, 500_00], 500_00],
  ['few amounts', [1_00, 2_00, 900_00], 900_00],
  ['amounts of one size', [100_00, 200_00, 250_00, 390_00], 390_00],
  ['one far above all others', [100_00, 200_00, 250_00, 9_000_00], 250_00],
  ['one far above many', [...Array.from({ length: 30 }, (_, n) => 100_00 + n), 90_000_00], 100_00 + 29],
])('a chart of %s is scaled to what is usual', (_, amounts, max) => {
  expect(findPlottedMax(amounts)).toBe(max)
})

test('a bar far above all others is broken off, with its amount, and the others keep their heights', () => {
  const days = [100_00, 200_00, 250_00, 9_000_00].map((received, index) => {
    const day = `2026-11-0${index + 1}`
    return { day, received, sent: 0, refunded: 0 }
  })
  const names = { received: 'Recebido', sent: 'Enviado', refunded: 'Devolvido' }
  const format = getFormats('pt-BR')
  const { text } = renderDailyBars(days, { format, label: 'Por dia', names })
  expect(text.match(/class="break"/g)).toHaveLength(1)
  expect(text.replaceAll('\u00a0', ' ')).toContain('>R$ 9 mil</text>')
  // 250 of an axis up to 400 reais.
  expect(text).toContain('height="125.00"')
  const usual = renderDailyBars(days.slice(0, 3), { format, label: 'Por dia', names })
  expect(usual.text).not.toContain('class="break"')
})
