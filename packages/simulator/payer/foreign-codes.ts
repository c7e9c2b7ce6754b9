import { generateKeyPairSync, sign } from 'node:crypto'
import type Router from '@koa/router'
import { textFromCents } from '../amount.ts'
import { buildDynamicBrCode } from '../br-code.ts'
import { CHANGING_KEY, FOREIGN_COMPANY } from '../magic-recipients.ts'
import type { SimulatorState } from '../state.ts'

/**
 * Codes of receivers at other banks, and what their locations answer: charges that cannot be paid, broken signatures, hostile servers
 * (`GET /control/foreign-codes`). Their documents are those of pix-api: CobPayload, CobVPayload, RecPayload.
 */

const TXID = 'fc9a4366ff3d4964b5dbc6c91a8722d3'
const MERCHANT = { merchantName: FOREIGN_COMPANY.name, merchantCity: 'BELO HORIZONTE' }
const HOUR_MS = 3_600_000
const RISING_FROM_CENTS = 1_000
const LARGE_ANSWER_BYTES = 2 * 1_024 * 1_024
/** Longer than any payer's bank waits. */
const SLOW_ANSWER_MS = 30_000

type ForeignCode = {
  path: string
  /** What the location answers: a document, signed, or anything else. */
  answer(tools: AnswerTools): ForeignAnswer
  recurrencePath?: string
}
type ForeignAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  delayMs?: number
}
type AnswerTools = { now: Date; signer: SimulatorState['signer'] }

/** An instant charge of 12.50 reais for an hour. */
const buildCharge = (now: Date, change: object = {}) => ({
  revisao: 0,
  calendario: { criacao: now.toISOString(), apresentacao: now.toISOString(), expiracao: 3_600 },
  txid: TXID,
  chave: FOREIGN_COMPANY.key,
  valor: { original: '12.50' },
  status: 'ATIVA',
  ...change,
})

/** A charge that was due yesterday, with fine and interest. */
function buildDueCharge(now: Date): object {
  const yesterday = new Date(now.getTime() - 24 * HOUR_MS)
  return {
    ...buildCharge(now),
    calendario: {
      criacao: new Date(now.getTime() - 48 * HOUR_MS).toISOString(),
      apresentacao: now.toISOString(),
      dataDeVencimento: brasiliaDay(yesterday),
      validadeAposVencimento: 30,
    },
    recebedor: {
      nome: MERCHANT.merchantName,
      cnpj: FOREIGN_COMPANY.document,
      logradouro: 'Rua 20 Numero 70',
      cidade: 'Belo Horizonte',
      uf: 'MG',
      cep: '55120750',
    },
    devedor: { nome: 'Loja da Ana Ltda', cnpj: '11222333000181' },
    valor: { original: '123.45', multa: '15.00', juros: '2.00', desconto: '0.45', final: '140.00' },
  }
}

const brasiliaDay = (at: Date) => new Date(at.getTime() - 3 * HOUR_MS).toISOString().slice(0, 10)

const signed = (document: (now: Date) => object): ForeignCode['answer'] => {
  return ({ signer, now }) => ({ body: signer.sign(document(now)) })
}

/** The codes by their names. */
const FOREIGN_CODES: Record<string, ForeignCode> = {
  payable: { path: 'payable', answer: signed(now => buildCharge(now)) },
  open: {
    path: 'open',
    answer: signed(now => buildCharge(now, { valor: { original: '0.00', modalidadeAlteracao: 1 } })),
  },
  due: {
    path: 'cobv/due',
    answer: signed(buildDueCharge),
  },
  /** Another bank's customer pays it first. */
  'paid-first': {
    path: 'paid-first',
    answer: signed(now => buildCharge(now, { chave: 'be17-later@sim.trilho.test' })),
  },
  /** Asks another value whenever it is read. */
  rising: {
    path: 'rising',
    answer: signed(now =>
      buildCharge(now, { valor: { original: textFromCents(RISING_FROM_CENTS + (now.getTime() % 9_000)) } }),
    ),
  },
  /** Its key belongs to another company than its document says. */
  'other-receiver': {
    path: 'cobv/other-receiver',
    answer: signed(now => ({ ...buildDueCharge(now), chave: CHANGING_KEY })),
  },
  paid: { path: 'paid', answer: signed(now => buildCharge(now, { status: 'CONCLUIDA' })) },
  expired: {
    path: 'expired',
    answer: signed(now => buildCharge(new Date(now.getTime() - 2 * HOUR_MS))),
  },
  gone: { path: 'gone', answer: () => ({ status: 410, body: '{"detail":"expired"}' }) },
  'wrong-signature': {
    path: 'wrong-signature',
    answer: ({ signer, now }) => {
      const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const head = signer.sign(buildCharge(now)).split('.').slice(0, 2).join('.')
      const signature = sign('sha256', Buffer.from(head), { key, dsaEncoding: 'ieee-p1363' })
      return { body: `${head}.${signature.toString('base64url')}` }
    },
  },
  'keys-elsewhere': {
    path: 'keys-elsewhere',
    answer: ({ signer, now }) => {
      const [head = '', body] = signer.sign(buildCharge(now)).split('.')
      const header = {
        ...JSON.parse(Buffer.from(head, 'base64url').toString()),
        jku: 'https://keys.example/jwks',
      }
      return { body: `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${body}.AAAA` }
    },
  },
  large: { path: 'large', answer: () => ({ body: Buffer.alloc(LARGE_ANSWER_BYTES, 'x') }) },
  slow: { path: 'slow', answer: () => ({ delayMs: SLOW_ANSWER_MS }) },
  redirect: {
    path: 'redirect',
    answer: () => ({ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } }),
  },
  composite: { path: 'composite', answer: signed(now => buildCharge(now)), recurrencePath: 'rec/composite' },
}

/** Reads the document at a location as a payer's bank does; undefined where there is none, or its signature is wrong. */
export function readForeignDocument(
  url: string,
  { signer, now }: Pick<SimulatorState, 'signer' | 'now'>,
): unknown {
  const path = url.slice(url.indexOf('/foreign/') + '/foreign/'.length)
  const code = Object.values(FOREIGN_CODES).find(one => one.path === path)
  const { status = 200, body } = code?.answer({ now: now(), signer }) ?? { status: 404 }
  if (status !== 200 || typeof body !== 'string') return undefined
  try {
    return signer.verify(body)
  } catch {
    return undefined
  }
}

/** Serves the locations of the codes, and lists the codes with their payloads for the control API. */
export function addForeignCodeRoutes(
  router: Router,
  { signer, now, stopping, charges }: SimulatorState,
): void {
  for (const { path, answer } of Object.values(FOREIGN_CODES))
    router.get(`/foreign/${path}`, async ctx => {
      const { status = 200, headers = {}, body = '', delayMs = 0 } = answer({ now: now(), signer })
      if (delayMs > 0) await waitUnlessStopped(delayMs, stopping)
      ctx.status = status
      ctx.type = 'application/jose'
      ctx.set(headers)
      ctx.body = body
    })
  router.get('/control/foreign-codes', ctx => {
    const base = charges.locationUrl('').replace(/qr\/v2\/$/, 'foreign')
    ctx.body = {
      data: Object.entries(FOREIGN_CODES).map(([name, { path, recurrencePath }]) => ({
        name,
        payload: buildForeignPayload(`${base}/${path}`, recurrencePath && `${base}/${recurrencePath}`),
      })),
    }
  })
}

/** A composite code names its recurrence in template 80 (Manual de Padrões para Iniciação do Pix). */
function buildForeignPayload(url: string, recurrenceUrl: string | undefined): string {
  return buildDynamicBrCode({
    ...MERCHANT,
    url,
    totalCents: 0,
    ...(recurrenceUrl === undefined ? {} : { recurrenceUrl }),
  })
}

function waitUnlessStopped(delayMs: number, stopping: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, delayMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    stopping.addEventListener('abort', end, { once: true })
  })
}
