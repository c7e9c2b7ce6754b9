/*
 * <trilho-pix link="https://…/pay/…">: the QR code of a payment link on the page of a shop, its copy-and-paste code, and what becomes
 * of it. Attributes: link, lang (pt or en). Events: trilho-status and, once, trilho-paid, both with { status } as detail.
 */
const ORIGIN = new URL(import.meta.url).origin
const POLL_MS = 3_000
const MAX_POLL_MS = 60_000
const MOVING = ['UNDEFINED', 'PENDING', 'PROCESSING']
const PAID = ['PAID', 'REFUNDING']

const TEXTS = {
  pt: {
    PENDING: 'Aguardando pagamento',
    UNDEFINED: 'Gerando o código Pix',
    PROCESSING: 'Pagamento em confirmação',
    PAID: 'Pago',
    REFUNDING: 'Pago',
    REFUNDED: 'Devolvido',
    PARTIALLY_REFUNDED: 'Pago, com devolução parcial',
    EXPIRED: 'Cobrança expirada',
    CANCELLED: 'Cobrança cancelada',
    FAILED: 'Cobrança não emitida',
    CLOSED: 'Este link não recebe pagamentos agora',
    NOT_FOUND: 'Link de pagamento não encontrado',
    offer: 'Pagar com Pix',
    copy: 'Copiar o código',
    copied: 'Código copiado',
    qr: 'QR Code para pagar com Pix',
    payload: 'Pix copia e cola',
    test: 'Cobrança de teste: não pague este código',
    late: 'Sem atualização; tentando de novo',
  },
  en: {
    PENDING: 'Waiting for payment',
    UNDEFINED: 'Creating the PIX code',
    PROCESSING: 'Payment being confirmed',
    PAID: 'Paid',
    REFUNDING: 'Paid',
    REFUNDED: 'Refunded',
    PARTIALLY_REFUNDED: 'Paid, partially refunded',
    EXPIRED: 'Charge expired',
    CANCELLED: 'Charge cancelled',
    FAILED: 'Charge not issued',
    CLOSED: 'This link takes no payment now',
    NOT_FOUND: 'Payment link not found',
    offer: 'Pay by PIX',
    copy: 'Copy the code',
    copied: 'Code copied',
    qr: 'QR code to pay by PIX',
    payload: 'PIX copy and paste',
    test: 'Test charge: do not pay this code',
    late: 'No update; trying again',
  },
}

const STYLE = `
:host { display: block; max-width: 22rem; font-family: inherit; text-align: center; color: inherit }
:host([hidden]) { display: none }
svg { display: block; width: 100%; height: auto; background: #fff; border-radius: 0.5rem }
textarea { width: 100%; box-sizing: border-box; margin: 0.5rem 0; font: 0.8rem monospace; resize: none }
button, a { display: block; width: 100%; box-sizing: border-box; padding: 0.7rem; border: 0; border-radius: 0.5rem; background: #0a6b4f;
  color: #fff; font: inherit; text-decoration: none; cursor: pointer }
.amount { margin: 0.5rem 0; font-size: 1.6rem }
.paid { font-weight: bold; color: #0a6b4f }
p { margin: 0.5rem 0 }`

class TrilhoPix extends HTMLElement {
  static observedAttributes = ['link', 'lang']
  #root = this.attachShadow({ mode: 'open' })
  #parts = {}
  #shown = ''
  #status
  #delayMs = POLL_MS
  #timer
  #abort

  connectedCallback() {
    this.#start()
  }

  disconnectedCallback() {
    clearTimeout(this.#timer)
    this.#abort?.abort()
  }

  attributeChangedCallback() {
    // The attributes that the element begins with are reported before it is connected.
    if (this.#abort && this.isConnected) this.#start()
  }

  get #texts() {
    const language = this.getAttribute('lang') || this.closest('[lang]')?.lang || navigator.language
    return /^en/i.test(language) ? TEXTS.en : TEXTS.pt
  }

  #start() {
    this.disconnectedCallback()
    this.#shown = ''
    this.#status = undefined
    this.#delayMs = POLL_MS
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    this.#root.adoptedStyleSheets = [sheet]
    this.#root.replaceChildren()
    this.#parts = { body: this.#add('div'), status: this.#add('p', { role: 'status' }) }
    this.#abort = new AbortController()
    this.#poll(this.#abort.signal)
  }

  #add(tag, attributes = {}, parent = this.#root) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    return parent.appendChild(element)
  }

  async #poll(signal) {
    const link = this.getAttribute('link') ?? ''
    const url = URL.canParse(link, location.href) ? new URL(link, location.href) : null
    // Only of the service that serves this script: a page that takes the link from its own address shows no other code.
    if (url?.origin !== ORIGIN) return this.#say('NOT_FOUND')
    const read = path =>
      fetch(`${url.origin}${url.pathname}${path}`, {
        signal,
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      })
    try {
      // A tab in the background asks when it is looked at again.
      if (document.hidden)
        await new Promise(resolve =>
          document.addEventListener('visibilitychange', resolve, { once: true, signal }),
        )
      const response = await read('/status')
      if (response.status === 404) return this.#say('NOT_FOUND')
      if (!response.ok) throw new Error(String(response.status))
      const data = await response.json()
      const qr =
        data.payload && this.#shown !== JSON.stringify(data) ? await (await read('/qr.svg')).text() : ''
      if (signal.aborted) return
      this.#show(data, url, qr)
      if (!MOVING.includes(data.status)) return
      this.#delayMs = POLL_MS
    } catch {
      if (signal.aborted) return
      this.#parts.status.textContent = this.#texts.late
      this.#shown = ''
      this.#delayMs = Math.min(MAX_POLL_MS, this.#delayMs * 2)
    }
    this.#timer = setTimeout(() => this.#poll(signal), this.#delayMs)
  }

  #show(data, url, qr) {
    const json = JSON.stringify(data)
    if (json === this.#shown) return
    this.#shown = json
    const { body } = this.#parts
    const texts = this.#texts
    body.replaceChildren()
    if (data.is_test) this.#add('p', {}, body).textContent = texts.test
    if (data.amount !== null) {
      const money = new Intl.NumberFormat(texts === TEXTS.en ? 'en' : 'pt-BR', {
        style: 'currency',
        currency: 'BRL',
      })
      this.#add('p', { class: 'amount' }, body).textContent = money.format(data.amount)
    }
    if (data.status === 'OFFER') {
      const attributes = { href: url.href, target: '_blank', rel: 'noopener noreferrer' }
      this.#add('a', attributes, body).textContent = texts.offer
    }
    if (qr) this.#showCode(data.payload, qr)
    this.#say(data.status)
  }

  #showCode(payload, qr) {
    const { body } = this.#parts
    const texts = this.#texts
    const svg = document.importNode(
      new DOMParser().parseFromString(qr, 'image/svg+xml').documentElement,
      true,
    )
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', texts.qr)
    body.append(svg)
    const field = this.#add('textarea', { readonly: '', rows: 3, 'aria-label': texts.payload }, body)
    field.value = payload
    const button = this.#add('button', { type: 'button' }, body)
    button.textContent = texts.copy
    button.addEventListener('click', async () => {
      field.select()
      await navigator.clipboard?.writeText(payload).catch(() => {})
      this.#parts.status.textContent = texts.copied
    })
  }

  #say(status) {
    const part = this.#parts.status
    part.textContent = this.#texts[status] ?? ''
    part.className = PAID.includes(status) ? 'paid' : ''
    if (status === this.#status) return
    const wasPaid = PAID.includes(this.#status)
    this.#status = status
    const dispatch = name =>
      this.dispatchEvent(new CustomEvent(name, { detail: { status }, bubbles: true, composed: true }))
    dispatch('trilho-status')
    if (PAID.includes(status) && !wasPaid) dispatch('trilho-paid')
  }
}

if (!customElements.get('trilho-pix')) customElements.define('trilho-pix', TrilhoPix)
