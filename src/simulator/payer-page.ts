import Router from '@koa/router'
import type { Context } from 'koa'
import { textFromCents } from '../domain/money.ts'
import type { Asked } from './payer.ts'
import { payloadDocumentOf } from './payload-document.ts'
import { bodyText } from './route.ts'
import type { World } from './world.ts'

/** What a browser reaches on the main port: the payer's bank, and the documents behind payloads' URLs. */
export function payerRoutes(world: World): Router {
  const router = new Router()
  const { bank } = world
  payloadRoutes(router, world)
  router.get('/', ctx => show(ctx, 200, INDEX))
  router.get('/pay', async ctx => {
    const payload = ctx.URL.searchParams.get('payload')?.trim() ?? ''
    if (payload === '') return show(ctx, 200, codeForm())
    const seen = await bank.read(payload)
    show(ctx, 200, seen.kind === 'payable' ? confirmation(seen.asked, payload) : refusal(seen.why))
  })
  router.post('/pay', async ctx => {
    const form = new URLSearchParams(await bodyText(ctx))
    const outcome = await bank.pay({ payload: form.get('payload') ?? '', force: false })
    if (outcome.kind === 'not_payable') return show(ctx, 409, refusal(outcome.why))
    show(ctx, 200, receipt({ endToEnd: outcome.receipt.endToEnd, cents: outcome.receipt.cents }))
  })
  return router
}

/** `/qr/v2/<token>`: open to everyone, as a JWS (pix-api, CobPayload). What cannot be paid is gone. */
function payloadRoutes(router: Router, { charges, seal, now }: World): void {
  router.get('/jwks', ctx => {
    ctx.body = { keys: [seal.jwk] }
  })
  router.get('/qr/v2/:token', ctx => {
    const charge = charges.ofToken((ctx.params as { token: string }).token)
    const why = charge ? charges.whyNotPayable(charge) : 'unknown'
    if (charge && why === null) {
      ctx.type = 'application/jose'
      ctx.body = seal.seal(payloadDocumentOf(charge, now()))
      return
    }
    ctx.status = charge ? 410 : 404
    ctx.type = 'application/problem+json'
    const type = 'https://pix.bcb.gov.br/api/v2/error/CobPayloadNaoEncontrado'
    ctx.body = JSON.stringify({ type, title: 'Não Encontrado', status: ctx.status, detail: why })
  })
}

function show(ctx: Context, status: number, content: string): void {
  ctx.status = status
  ctx.type = 'text/html; charset=utf-8'
  ctx.set('Content-Security-Policy', `default-src 'none'; style-src 'unsafe-inline'; form-action 'self'`)
  ctx.body = page(content)
}

function page(content: string): string {
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Banco do pagador – simulador Trilho</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 32rem; margin: 2rem auto; padding: 0 1rem }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem }
  dt { font-weight: 600 } dd { margin: 0; overflow-wrap: anywhere }
  .value { font-size: 2rem; font-weight: 700 }
  textarea { width: 100%; box-sizing: border-box; font: inherit }
  button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: #0b6b4f; color: #fff }
  button:focus-visible { outline: 3px solid #f0b429; outline-offset: 2px }
</style>
</head>
<body>
<header><p>Banco do pagador (simulador)</p></header>
<main>
${content}
</main>
</body>
</html>
`
}

const INDEX = `<h1>Simulador de provedores PIX</h1>
<ul>
<li><a href="/pay">Pagar um código PIX</a></li>
<li><a href="/control/statement">Extrato de tudo o que foi liquidado</a></li>
<li><a href="/control/faults">Falhas programadas</a></li>
<li><a href="/control/health">Saúde</a></li>
</ul>`

function codeForm(): string {
  return `<h1>Pagar com PIX Copia e Cola</h1>
<form method="get" action="/pay">
<p><label for="payload">Código PIX</label><br>
<textarea id="payload" name="payload" rows="4" required></textarea></p>
<p><button type="submit">Continuar</button></p>
</form>`
}

function confirmation(asked: Asked, payload: string): string {
  return `<h1>Confirmar pagamento</h1>
<p class="value">${reais(asked.cents)}</p>
<dl>
<dt>Para</dt><dd>${escaped(asked.receiver)}</dd>
<dt>Cidade</dt><dd>${escaped(asked.city)}</dd>
<dt>Chave</dt><dd>${escaped(asked.key)}</dd>
<dt>Vence em</dt><dd><time datetime="${asked.expiresAt}">${moment(asked.expiresAt)}</time></dd>
<dt>Identificador</dt><dd>${escaped(asked.txid)}</dd>
${asked.message === null ? '' : `<dt>Mensagem</dt><dd>${escaped(asked.message)}</dd>`}
</dl>
<form method="post" action="/pay">
<input type="hidden" name="payload" value="${escaped(payload)}">
<p><button type="submit">Pagar ${reais(asked.cents)}</button></p>
</form>`
}

function receipt({ endToEnd, cents }: { endToEnd: string; cents: number }): string {
  return `<h1>Pagamento realizado</h1>
<p class="value">${reais(cents)}</p>
<dl><dt>Identificador da transação</dt><dd>${escaped(endToEnd)}</dd></dl>
<p><a href="/pay">Pagar outro código</a></p>`
}

const REASONS: Record<string, string> = {
  expired: 'A cobrança venceu.',
  'already paid': 'A cobrança já foi paga.',
  removed: 'A cobrança foi cancelada pelo recebedor.',
  unknown: 'A cobrança não existe.',
  'its key is gone': 'A chave do recebedor não existe mais.',
}

function refusal(why: string): string {
  return `<h1>Não é possível pagar</h1>
<p role="alert">${escaped(REASONS[why] ?? `O código não pôde ser lido: ${why}.`)}</p>
<p><a href="/pay">Tentar outro código</a></p>`
}

/** `R$ 1.234,56` */
function reais(cents: number): string {
  const [whole = '', decimals] = textFromCents(cents).split('.')
  return `R$&nbsp;${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${decimals}`
}

function moment(at: string): string {
  return new Intl.DateTimeFormat('pt-BR', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'America/Sao_Paulo',
  }).format(new Date(at))
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
