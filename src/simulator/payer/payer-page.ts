import Router from '@koa/router'
import type { Context } from 'koa'
import { textFromCents } from '../../domain/ledger/money.ts'
import { readBodyText } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import type { PayableCode } from './payable-code.ts'
import { PAYER_PAGE_SECURITY_POLICY, PAYER_PAGE_STYLE } from './payer-style.ts'
import { buildPayloadDocument } from './payload-document.ts'

/** Creates the pages of the payer's bank, and the documents at payloads' URLs. */
export function createPayerRoutes(state: SimulatorState): Router {
  const router = new Router()
  const { payerBank } = state
  addPayloadRoutes(router, state)
  router.get('/', ctx => sendHtml(ctx, 200, INDEX_HTML))
  router.get('/pay', async ctx => {
    const payload = ctx.URL.searchParams.get('payload')?.trim() ?? ''
    if (payload === '') return sendHtml(ctx, 200, renderCodeForm())
    const reading = await payerBank.read(payload)
    const isPayable = reading.kind === 'payable'
    sendHtml(ctx, 200, isPayable ? renderConfirmation(reading.code, payload) : renderRefusal(reading.why))
  })
  router.post('/pay', async ctx => {
    const form = new URLSearchParams(await readBodyText(ctx))
    const outcome = await payerBank.pay({ payload: form.get('payload') ?? '', force: false })
    if (outcome.kind === 'not_payable') return sendHtml(ctx, 409, renderRefusal(outcome.why))
    sendHtml(ctx, 200, renderReceipt({ endToEnd: outcome.receipt.endToEnd, cents: outcome.receipt.cents }))
  })
  return router
}

/** Serves `/qr/v2/<token>` without authentication, as a JWS (pix-api, CobPayload); 410 if the charge cannot be paid. */
function addPayloadRoutes(router: Router, { charges, signer, now }: SimulatorState): void {
  router.get('/jwks', ctx => {
    ctx.body = { keys: [signer.jwk] }
  })
  router.get('/qr/v2/:token', ctx => {
    const charge = charges.findByToken((ctx.params as { token: string }).token)
    const why = charge ? charges.notPayableReason(charge) : 'unknown'
    if (charge && why === null) {
      ctx.type = 'application/jose'
      ctx.body = signer.sign(buildPayloadDocument(charge, now()))
      return
    }
    ctx.status = charge ? 410 : 404
    ctx.type = 'application/problem+json'
    const type = 'https://pix.bcb.gov.br/api/v2/error/CobPayloadNaoEncontrado'
    ctx.body = JSON.stringify({ type, title: 'Não Encontrado', status: ctx.status, detail: why })
  })
}

function sendHtml(ctx: Context, status: number, content: string): void {
  ctx.status = status
  ctx.type = 'text/html; charset=utf-8'
  ctx.set('Content-Security-Policy', PAYER_PAGE_SECURITY_POLICY)
  ctx.body = renderPayerPage(content)
}

function renderPayerPage(content: string): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Banco do pagador – simulador Trilho</title>
<style>${PAYER_PAGE_STYLE}</style>
</head>
<body>
<header><p><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 10l9-6 9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 21h18"/></svg>Banco do pagador <small>simulador</small></p></header>
<main>
${content}
</main>
</body>
</html>
`
}

const INDEX_HTML = `<h1>Simulador de provedores PIX</h1>
<ul>
<li><a href="/pay">Pagar um código PIX</a></li>
<li><a href="/control/statement">Extrato de tudo o que foi liquidado</a></li>
<li><a href="/control/faults">Falhas programadas</a></li>
<li><a href="/control/health">Saúde</a></li>
</ul>`

function renderCodeForm(): string {
  return `<h1>Pagar com PIX Copia e Cola</h1>
<form method="get" action="/pay">
<p><label for="payload">Código PIX</label>
<textarea id="payload" name="payload" rows="4" required></textarea></p>
<p><button type="submit">Continuar</button></p>
</form>`
}

function renderConfirmation(code: PayableCode, payload: string): string {
  return `<h1>Confirmar pagamento</h1>
<p class="value">${formatReais(code.cents)}</p>
<dl>
${renderLine('Para', escapeHtml(code.receiver))}
${renderLine('Cidade', escapeHtml(code.city))}
${renderLine('Chave', renderCode(code.key))}
${code.expiresAt === null ? '' : renderLine('Vence em', `<time datetime="${code.expiresAt}">${formatTime(code.expiresAt)}</time>`)}
${renderLine('Identificador', renderCode(code.txid))}
${code.message === null ? '' : renderLine('Mensagem', escapeHtml(code.message))}
</dl>
<form method="post" action="/pay">
<input type="hidden" name="payload" value="${escapeHtml(payload)}">
<p><button type="submit">Pagar ${formatReais(code.cents)}</button></p>
</form>`
}

function renderReceipt({ endToEnd, cents }: { endToEnd: string; cents: number }): string {
  return `<svg class="done" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="M7.5 12.5l3 3 6-6.5"/></svg>
<h1>Pagamento realizado</h1>
<p class="value">${formatReais(cents)}</p>
<dl>
${renderLine('Transação', renderCode(endToEnd))}
</dl>
<p><a href="/pay">Pagar outro código</a></p>`
}

/** Renders a label and its HTML, which is escaped already. */
function renderLine(label: string, html: string): string {
  return `<div><dt>${label}</dt><dd>${html}</dd></div>`
}

function renderCode(text: string): string {
  return `<span class="code">${escapeHtml(text)}</span>`
}

const REASON_TEXTS: Record<string, string> = {
  expired: 'A cobrança venceu.',
  'already paid': 'A cobrança já foi paga.',
  removed: 'A cobrança foi cancelada pelo recebedor.',
  unknown: 'A cobrança não existe.',
  'its amount is open': 'O código não diz o valor: pague pela API de controle.',
  'its key is gone': 'A chave do recebedor não existe mais.',
  'this code is not of the simulator': 'O código não é de um provedor simulado.',
}

function renderRefusal(why: string): string {
  return `<h1>Não é possível pagar</h1>
<p role="alert">${REASON_TEXTS[why] ?? 'O código não é um PIX Copia e Cola válido: confira se foi copiado inteiro.'}</p>
<p><a href="/pay">Tentar outro código</a></p>`
}

/** Formats centavos as `R$ 1.234,56`. */
function formatReais(cents: number): string {
  const [whole = '', decimals] = textFromCents(cents).split('.')
  return `R$&nbsp;${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${decimals}`
}

function formatTime(at: string): string {
  return new Intl.DateTimeFormat('pt-BR', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'America/Sao_Paulo',
  }).format(new Date(at))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
