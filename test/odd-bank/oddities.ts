import type { BankReply } from './bank-api.ts'

/** A way in which an answer of a bank differs from the published one. */
export type Oddity = {
  name: string
  /** Whether the bank carries the request out all the same. */
  isCarriedOut: boolean
  /** Whether the bank receives the request twice, and answers the second one. */
  isRepeated?: boolean
  /** `honest`: the published answer; undefined where the request was not carried out. */
  answer(honest: BankReply | undefined): BankReply
}

type Json = Record<string, unknown>

const odd = (name: string, isCarriedOut: boolean, answer: Oddity['answer']): Oddity => ({
  name: `${name}, ${isCarriedOut ? 'carried out' : 'not carried out'}`,
  isCarriedOut,
  answer,
})
const HTML = '<html><body><h1>Oops</h1></body></html>'
const json = (honest: BankReply | undefined) => (typeof honest === 'object' ? honest.json : undefined)
const statusOf = (honest: BankReply | undefined) => (typeof honest === 'object' ? honest.status : 200)

/** Statuses with words that no document of a bank lists for anything. */
const UNLISTED_ANSWERS: readonly [number, unknown][] = [
  [400, { nome: 'algo_estranho', mensagem: 'Algo estranho' }],
  [400, { error: 'Something odd happened' }],
  [401, { message: 'Unauthorized' }],
  [403, { message: 'Forbidden' }],
  [404, { message: 'no Route matched with those values' }],
  [405, {}],
  [406, { error: { code: 7 } }],
  [409, { nome: 'conflito', mensagem: 'Conflito' }],
  [410, 'gone'],
  [413, []],
  [418, null],
  [422, { errors: [{ message: 'a' }, { message: 'b' }] }],
  [423, { nome: 'recurso_bloqueado' }],
  [429, { error: 'slow down' }],
  [451, { error: true }],
]

/** Oddities of any call that asks for something to be done. */
export function listRequestOddities(): Oddity[] {
  const receivedTwice = { ...odd('received twice', true, honest => honest!), isRepeated: true }
  const others = [true, false].flatMap(isCarriedOut => [
    ...UNLISTED_ANSWERS.map(([status, body]) =>
      odd(`unlisted ${status} ${JSON.stringify(body).slice(0, 30)}`, isCarriedOut, () => ({
        status,
        json: body,
      })),
    ),
    ...listTransportOddities(isCarriedOut),
  ])
  return [...others, receivedTwice]
}

/** Oddities of any call that only reads. */
export function listLookUpOddities(): Oddity[] {
  return [
    ...UNLISTED_ANSWERS.map(([status, body]) =>
      odd(`unlisted ${status} ${JSON.stringify(body).slice(0, 30)}`, true, () => ({ status, json: body })),
    ),
    ...listTransportOddities(true),
  ]
}

function listTransportOddities(isCarriedOut: boolean): Oddity[] {
  const location = 'https://localhost:1/elsewhere'
  return [
    odd('500', isCarriedOut, () => ({ status: 500, json: { mensagem: 'erro' } })),
    odd('502 HTML', isCarriedOut, () => ({
      status: 502,
      text: HTML,
      headers: { 'content-type': 'text/html' },
    })),
    odd('503 empty', isCarriedOut, () => ({ status: 503 })),
    odd('timeout', isCarriedOut, () => 'hang'),
    odd('connection reset', isCarriedOut, () => 'reset'),
    odd('302', isCarriedOut, () => ({ status: 302, headers: { location } })),
    odd('308', isCarriedOut, () => ({ status: 308, headers: { location } })),
    odd('200 empty body', isCarriedOut, () => ({ status: 200 })),
    odd('204', isCarriedOut, () => ({ status: 204 })),
    odd('202 empty object', isCarriedOut, () => ({ status: 202, json: {} })),
    odd('200 HTML', isCarriedOut, () => ({
      status: 200,
      text: HTML,
      headers: { 'content-type': 'text/html' },
    })),
    odd('200 null', isCarriedOut, () => ({ status: 200, json: null })),
    odd('200 with an error object', isCarriedOut, () => ({ status: 200, json: { error: 'Something odd' } })),
    odd('200 with a list', isCarriedOut, () => ({ status: 200, json: [] })),
    ...(isCarriedOut
      ? [
          odd('truncated body', true, honest => ({
            status: statusOf(honest),
            text: JSON.stringify(json(honest)).slice(0, -9),
          })),
          odd('body in a list', true, honest => ({ status: statusOf(honest), json: [json(honest)] })),
          odd('body in an envelope', true, honest => ({
            status: statusOf(honest),
            json: { data: json(honest) },
          })),
          odd('content type text', true, honest => ({
            status: statusOf(honest),
            text: JSON.stringify(json(honest)),
            headers: { 'content-type': 'text/plain' },
          })),
          odd('honest body with status 500', true, honest => ({ status: 500, json: json(honest) })),
          odd('honest body with status 400', true, honest => ({ status: 400, json: json(honest) })),
        ]
      : []),
  ]
}

/** Oddities of single fields of an answer, by their paths; `*` is each item of a list. */
export function listFieldOddities(paths: readonly string[]): Oddity[] {
  return paths.flatMap(path => {
    const kind = kindOfField(path)
    return [
      changed(`${path} absent`, path, () => undefined),
      changed(`${path} null`, path, () => null),
      changed(`${path} retyped`, path, retype),
      changed(`${path} in a list`, path, value => [value]),
      ...(OTHER_VALUES[kind] ?? []).map(([name, change]) => changed(`${path} ${name}`, path, change)),
    ]
  })
}

type Change = (value: unknown) => unknown

/** Other values of a field by what it means. None of them is a documented proof of another outcome. */
const OTHER_VALUES: Record<string, [string, Change][]> = {
  status: [
    ['unknown', () => 'EM_ANALISE_ESPECIAL'],
    ['in lower case', value => String(value).toLowerCase()],
    ['empty', () => ''],
  ],
  amount: [
    ['negative', value => (typeof value === 'number' ? -value : `-${value}`)],
    ['zero', value => (typeof value === 'number' ? 0 : '0.00')],
    ['huge', value => (typeof value === 'number' ? 1e18 : '99999999999999.99')],
    ['with three decimals', value => (typeof value === 'number' ? value + 0.5 : `${value}5`)],
  ],
  id: [
    ['of another', value => `${String(value).slice(0, -4)}ffff`],
    ['empty', () => ''],
    ['very long', value => String(value).repeat(40)],
  ],
  time: [
    ['long ago', () => '2001-01-01T00:00:00.000Z'],
    ['in the future', () => '2099-01-01T00:00:00.000Z'],
    ['no time', () => 'ontem'],
    ['without an offset', value => String(value).replace('Z', '')],
  ],
}

const KINDS_BY_FIELD: Record<string, string> = {
  status: 'status',
  type: 'status',
  valor: 'amount',
  original: 'amount',
  value: 'amount',
  saldo: 'amount',
  available: 'amount',
  txid: 'id',
  idEnvio: 'id',
  id: 'id',
  correlationID: 'id',
  endToEndId: 'id',
  e2eId: 'id',
  chave: 'id',
  pixKey: 'id',
  destinationAlias: 'id',
  rtrId: 'id',
  returnIdentification: 'id',
  key: 'id',
  horario: 'time',
  criacao: 'time',
  solicitacao: 'time',
  liquidacao: 'time',
  time: 'time',
  createdAt: 'time',
  expiresDate: 'time',
  abertura: 'time',
}
const kindOfField = (path: string) => KINDS_BY_FIELD[path.split('.').at(-1)!] ?? 'other'

function changed(name: string, path: string, change: Change): Oddity {
  return odd(name, true, honest => {
    if (typeof honest !== 'object') return honest!
    return { ...honest, json: changeField(honest.json, path.split('.'), change) }
  })
}

function changeField(value: unknown, [part, ...rest]: string[], change: Change): unknown {
  if (part === undefined) return change(value)
  if (part === '*') return Array.isArray(value) ? value.map(item => changeField(item, rest, change)) : value
  if (value === null || typeof value !== 'object' || !(part in value)) return value
  const { [part]: old, ...others } = value as Json
  const next = changeField(old, rest, change)
  return next === undefined ? others : { ...others, [part]: next }
}

function retype(value: unknown): unknown {
  if (typeof value === 'string') return Number.isNaN(Number(value)) ? { text: value } : Number(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value[0] ?? {}
  return JSON.stringify(value)
}

/** Oddities of the rows of a list. */
export function listRowOddities({
  field,
  id,
  amount,
  time,
}: Record<'field' | 'id' | 'amount' | 'time', string>): Oddity[] {
  const rows = (name: string, change: (rows: Json[]) => unknown) =>
    changed(`${field} ${name}`, field, value => change(value as Json[]))
  const withRow = (name: string, difference: Json) =>
    rows(`with a row ${name}`, list => [...list, ...list.slice(0, 1).map(row => ({ ...row, ...difference }))])
  const other = { [id]: 'E0908935620260101000000000000001' }
  const isText = (row: Json) => typeof row[amount] === 'string'
  const amountOf = (row: Json, text: string) => (isText(row) ? text : Number(text))
  const withAmount = (name: string, text: string) =>
    rows(`with a row of ${name}`, list => [
      ...list,
      ...list.slice(0, 1).map(row => ({ ...row, ...other, [amount]: amountOf(row, text) })),
    ])
  return [
    rows('with each row twice', list => [...list, ...list]),
    rows('in reverse', list => list.toReversed()),
    rows('as an object', list => ({ ...list })),
    rows('as its first row', list => list[0]),
    rows('empty', () => []),
    rows('without its last row', list => list.slice(0, -1)),
    rows('with a null', list => [null, ...list]),
    rows('with a text', list => ['?', ...list]),
    rows('with an empty row', list => [{}, ...list]),
    withAmount('0.00', '0.00'),
    withAmount('-5.00', '-5.00'),
    withAmount('a huge amount', '99999999999999.99'),
    withRow('without an id', { [id]: undefined }),
    withRow('without an amount', { ...other, [amount]: undefined }),
    withRow('at no time', { ...other, [time]: 'ontem' }),
  ]
}

/** A documented "not found" of a look-up whose subject exists: it lags behind. */
export const lagging = (notFound: BankReply): Oddity => odd('lagging not found', true, () => notFound)
