import { join } from 'node:path'
import Router from '@koa/router'
import type { Context } from 'koa'
import { SHARED_ASSETS, serveAssets } from '../../../src/views/assets.ts'
import { buildContentSecurityPolicy } from '../../../src/views/content-security-policy.ts'
import { createViewRenderer } from '../../../src/views/view-renderer.ts'
import { centsFromReais } from '../amount.ts'
import { personBody } from '../control/schemas.ts'
import { readBodyText } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import { addForeignCodeRoutes } from './foreign-codes.ts'
import { getPaymentTime } from './payer-bank.ts'
import { buildDuePayloadDocument, buildPayloadDocument } from './payload-document.ts'
import { addRecurrencePayloadRoutes } from './recurrence-document.ts'
import { addRecurrencePages } from './recurrence-pages.ts'

/** Creates the pages of the payer's bank, and the documents at payloads' URLs. */
export function createPayerRoutes(state: SimulatorState): Router {
  const router = new Router()
  const { payerBank } = state
  const views = createViewRenderer(join(import.meta.dirname, 'views'))
  const assets = serveAssets(router, '/assets', SHARED_ASSETS)
  const sendPage = (ctx: Context, view: string, model: object = {}) => {
    ctx.type = 'text/html; charset=utf-8'
    ctx.set(HEADERS)
    const words = { FREQUENCY_TEXTS, STATUS_TEXTS }
    ctx.body = views.render(view, { assets, formatReais, formatTime, formatDay, ...words, ...model })
  }
  const sendRefusal = (ctx: Context, why: string) => {
    sendPage(ctx, 'refusal', { reason: describeRefusal(why) })
    ctx.status = 409
  }
  addPayloadRoutes(router, state)
  addRecurrencePayloadRoutes(router, state)
  addForeignCodeRoutes(router, state)
  addRecurrencePages(router, state, { sendPage, sendRefusal })
  router.get('/', ctx => sendPage(ctx, 'index'))
  router.get('/pay', async ctx => {
    const payload = ctx.URL.searchParams.get('payload')?.trim() ?? ''
    if (payload === '') return sendPage(ctx, 'code-form')
    const reading = await payerBank.read(payload)
    if (reading.kind === 'payable') return sendPage(ctx, 'confirmation', { ...reading, payload })
    if (reading.kind === 'authorizable') return sendPage(ctx, 'consent', { ...reading, payload })
    sendPage(ctx, 'refusal', { reason: describeRefusal(reading.why) })
  })
  router.post('/pay', async ctx => {
    const form = new URLSearchParams(await readBodyText(ctx))
    const cents = form.has('value') ? centsFromReais(Number(form.get('value'))) : undefined
    if (cents === 0 || cents === null) return sendRefusal(ctx, 'the amount is malformed')
    const payload = form.get('payload') ?? ''
    const payer = { name: form.get('name')?.trim() ?? '', document: form.get('document')?.trim() ?? '' }
    const isNamed = payer.name !== '' || payer.document !== ''
    if (isNamed && !personBody.safeParse(payer).success) {
      sendPage(ctx, 'refusal', { reason: 'Informe o nome e um CPF ou CNPJ válido de quem paga.' })
      ctx.status = 422
      return
    }
    const ceilingText = form.get('ceiling')?.trim() ?? ''
    const ceilingCents = ceilingText === '' ? null : centsFromReais(Number(ceilingText))
    if (ceilingText !== '' && !ceilingCents) return sendRefusal(ctx, 'the amount is malformed')
    const isAccepted = form.get('recurrence') === 'accept'
    if (form.get('kind') === 'consent') {
      const answered = payerBank.authorize({
        payload,
        isAccepted,
        ceilingCents,
        payerDocument: isNamed ? payer.document : undefined,
      })
      if (answered.kind === 'not_payable') return sendRefusal(ctx, answered.why)
      return sendPage(ctx, 'authorization', answered)
    }
    const outcome = await payerBank.pay({
      payload,
      ...(isNamed && { payer }),
      force: false,
      ceilingCents,
      ...(form.has('recurrence') && { recurrence: isAccepted ? 'accept' : 'ignore' }),
      ...(cents === undefined ? {} : { cents }),
    })
    if (outcome.kind !== 'not_payable') return sendPage(ctx, 'receipt', outcome.receipt)
    sendRefusal(ctx, outcome.why)
  })
  return router
}

/** Serves `/qr/v2/<token>` without authentication, as a JWS (pix-api, CobPayload and CobVPayload); 410 if the charge cannot be paid. */
function addPayloadRoutes(router: Router, { accounts, charges, signer, now }: SimulatorState): void {
  router.get('/jwks', ctx => {
    ctx.body = { keys: [signer.jwk] }
  })
  router.get('/qr/v2/:token', ctx => {
    const charge = charges.findByToken((ctx.params as { token: string }).token)
    const day = ctx.URL.searchParams.get('DPP')
    const on = day !== null && /^\d{4}-\d\d-\d\d$/.test(day) ? getPaymentTime(day) : undefined
    const why = charge ? charges.notPayableReason(charge, on) : 'unknown'
    if (charge && why === null) {
      ctx.type = 'application/jose'
      const { parts } = charges.computeCost(charge, on)
      const document = parts
        ? buildDuePayloadDocument(charge, {
            presentedAt: now(),
            parts,
            receiver: accounts.find(charge.accountId)!,
          })
        : buildPayloadDocument(charge, now())
      ctx.body = signer.sign(document)
      return
    }
    ctx.status = charge ? 410 : 404
    ctx.type = 'application/problem+json'
    const type = 'https://pix.bcb.gov.br/api/v2/error/CobPayloadNaoEncontrado'
    ctx.body = JSON.stringify({ type, title: 'Não Encontrado', status: ctx.status, detail: why })
  })
}

const HEADERS = { 'Content-Security-Policy': buildContentSecurityPolicy() }

const REASON_TEXTS: Record<string, string> = {
  expired: 'A cobrança venceu.',
  'already paid': 'A cobrança já foi paga.',
  removed: 'A cobrança foi cancelada pelo recebedor.',
  unknown: 'A cobrança não existe.',
  'its amount is open': 'O código não diz o valor: pague pela API de controle.',
  'the amount is malformed': 'O valor deve ser maior que zero, com até dois decimais.',
  'another payer is named': 'A cobrança só pode ser paga por outra pessoa.',
  'there is nothing to pay': 'O código só pede a autorização de um Pix Automático.',
  'the ceiling is below the minimum': 'O valor máximo é menor que o mínimo do recebedor.',
  'the recurrence has been answered': 'O Pix Automático já foi respondido.',
  'the recurrence has ended': 'O Pix Automático foi recusado, cancelado ou expirou.',
  'its key is gone': 'A chave do recebedor não existe mais.',
  'this code is not of the simulator': 'O código não é de um provedor simulado.',
}

function describeRefusal(why: string): string {
  return REASON_TEXTS[why] ?? 'O código não é um PIX Copia e Cola válido: confira se foi copiado inteiro.'
}

const FREQUENCY_TEXTS: Record<string, string> = {
  SEMANAL: 'Toda semana',
  MENSAL: 'Todo mês',
  TRIMESTRAL: 'A cada três meses',
  SEMESTRAL: 'A cada seis meses',
  ANUAL: 'Todo ano',
}

/** Statuses of a recurrence, of its charges and of their tries. */
const STATUS_TEXTS: Record<string, string> = {
  created: 'aguardando resposta',
  approved: 'autorizado',
  active: 'agendado',
  completed: 'pago',
  requested: 'pedido',
  scheduled: 'agendado',
  paid: 'pago',
  rejected: 'recusado',
  expired: 'expirado',
  cancelled: 'cancelado',
}

/** Formats a day, `2026-11-26`, as `26/11/2026`. */
function formatDay(day: string): string {
  return day.split('-').toReversed().join('/')
}

/** Formats centavos as `R$ 1.234,56`. */
function formatReais(cents: number): string {
  return new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' }).format(cents / 100)
}

function formatTime(at: string): string {
  return new Intl.DateTimeFormat('pt-BR', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'America/Sao_Paulo',
  }).format(new Date(at))
}
