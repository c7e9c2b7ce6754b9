/* Progressive enhancement: every page works without this script. */
document.documentElement.classList.add('scripted')

document.addEventListener('click', event => {
  const button = event.target.closest('button')
  if (!button) return
  if (button.hasAttribute('data-menu')) unfold(button)
  if (button.dataset.copy) copy(button)
  if (button.hasAttribute('data-print')) print()
  if (button.hasAttribute('data-share')) share(button)
})

/* Submits a form once, however often its button is pressed before the next page loads; after navigating back it may be submitted again. */
document.addEventListener('submit', event => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'true'
  // An answer that comes at once needs no sign of the wait.
  const button = event.submitter
  if (button) setTimeout(() => form.dataset.sent && button.setAttribute('aria-busy', 'true'), 300)
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy')
})

/* The search opens over the page: by its link, by Ctrl-K, and by `/` from everywhere but a field. Arrows go through its results. */
const palette = document.getElementById('palette')
function openPalette(event) {
  if (!palette || document.querySelector('dialog[open]:not(#palette)')) return
  event.preventDefault()
  if (!palette.open) palette.showModal()
  const field = document.getElementById('palette-q')
  field.select()
  field.dispatchEvent(new Event('opened'))
}
document.addEventListener('click', event => {
  if (event.target.closest('[data-palette]') && !event.ctrlKey && !event.metaKey && !event.shiftKey)
    openPalette(event)
})
document.addEventListener('keydown', event => {
  const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
  if (isCommand || (isSlash && !event.target.closest('input, textarea, select'))) openPalette(event)
})
palette?.addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const stops = [...palette.querySelectorAll('#palette-q, #palette-found a')].filter(one =>
    one.checkVisibility(),
  )
  stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus()
})

/* Other keys lead to pages, `g` before the one of a page; `?` lists them. */
let isLeading = false
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest('input, textarea, select') || document.querySelector('dialog[open]')) return
  const keys = isLeading ? `g ${event.key}` : event.key
  isLeading = keys === 'g'
  if (keys === '?') document.getElementById('shortcuts')?.showModal()
  else document.querySelector(`[data-keys="${CSS.escape(keys)}"]`)?.click()
})

/* A tab keeps the address of each list, with its filters and its page, for the links back; none after signing out. */
if (document.querySelector('body.outside:not(.showing)')) sessionStorage.clear()
if (document.querySelector('nav.pages')) sessionStorage.setItem(location.pathname, location.search)
for (const link of document.querySelectorAll('.back a')) {
  const kept = new URLSearchParams(sessionStorage.getItem(link.pathname) ?? '')
  const mode = new URLSearchParams(link.search).get('mode')
  if (mode && (kept.get('mode') ?? mode) !== mode) continue
  for (const name of ['done', 'lang', 'draft']) kept.delete(name)
  if (mode) kept.set('mode', mode)
  if (kept.size > 0) link.search = kept
}

/* A tab keeps the links of the list's page, in their order: the page of one has those to the one before and to the next. */
const rowLinks = [...document.querySelectorAll('main .rows tbody th:first-child > a:first-child')]
if (document.querySelector('nav.pages') && rowLinks.length > 0)
  sessionStorage.setItem('row-links', JSON.stringify(rowLinks.map(one => one.getAttribute('href'))))
const back = document.querySelector('.back')
const neighbours = JSON.parse(sessionStorage.getItem('row-links') ?? '[]')
const place = neighbours.findIndex(href => new URL(href, location).pathname === location.pathname)
if (back && place >= 0)
  for (const [name, href] of [
    ['previous', neighbours[place - 1]],
    ['next', neighbours[place + 1]],
  ]) {
    if (!href) continue
    const link = document.createElement('a')
    link.href = href
    link.rel = name === 'next' ? 'next' : 'prev'
    link.textContent = document.getElementById('main').dataset[name]
    back.append(' ', link)
  }

/* Escape folds the menu of a phone, and leaves the focus at its button. */
document.addEventListener('keydown', event => {
  const button = document.querySelector('[data-menu][aria-expanded="true"]')
  if (event.key !== 'Escape' || !button) return
  unfold(button)
  button.focus()
})

/* On a phone the filters in use are folded, so that the list is in view; the summary has their number. */
if (matchMedia('(max-width: 40rem)').matches)
  for (const filters of document.querySelectorAll('details.filters[open]:not(:has(.wrong))'))
    filters.open = false

/* Polling: requests report whether the user has typed since the last one; a refresh keeps open elements open. */
let hasTyped = false
let opened = []
document.addEventListener('input', () => {
  hasTyped = true
})
document.addEventListener('htmx:configRequest', event => {
  event.detail.headers['X-Trilho-Typed'] = String(hasTyped)
  hasTyped = false
})
document.addEventListener('htmx:beforeSwap', () => {
  opened = [...document.querySelectorAll('#live details[open][id]')].map(({ id }) => id)
})
document.addEventListener('htmx:afterSwap', () => {
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '')
})

/* What a refresh changed is announced outside of it. A failed refresh says how old the page is. */
let announced = document.querySelector('#live')?.dataset.announce
let freshAt = new Date()
document.addEventListener('htmx:afterRequest', event => {
  // A search, or a check of a form, does not refresh the page. After a swap the element is no longer in it.
  if (event.detail.requestConfig.elt.id !== 'live') return
  const isFresh = event.detail.successful
  if (isFresh) freshAt = new Date()
  const stale = document.getElementById('stale')
  const isEnded = event.detail.xhr.status === 401
  const text = isEnded ? stale?.dataset.ended : stale?.dataset.text
  const { lang } = document.documentElement
  const clock = () => freshAt.toLocaleTimeString(lang, { timeZone: stale.dataset.zone })
  if (stale) stale.textContent = isFresh ? '' : text.replace('{time}', clock())
})

/* An ended session leads to the sign-in page, unless a form would lose what was typed: to send it keeps that. */
document.addEventListener('input', event => {
  const form = event.target.form
  if (form?.method === 'post') form.dataset.typed = 'true'
})
document.addEventListener('htmx:beforeOnLoad', event => {
  if (event.detail.xhr.status === 401 && document.querySelector('form[data-typed]')) event.preventDefault()
})
document.addEventListener('htmx:afterSwap', () => {
  const { announce } = document.querySelector('#live')?.dataset ?? {}
  if (!announce || announce === announced) return
  announced = announce
  document.getElementById('announced').textContent = announce
})

/* What a check of a form was refused for is on the page of the form, which the form then loads. */
document.addEventListener('htmx:responseError', event => {
  const { elt, xhr } = event.detail
  if (elt.matches('button[type="submit"]') && xhr.status !== 401) elt.form.submit()
})

/* Counts down to the minute and second; days away, the text of the server stays. */
const DAY_S = 86_400
function countDown() {
  for (const time of document.querySelectorAll('time[data-countdown]')) {
    const left = Math.max(0, Math.floor((new Date(time.dateTime) - Date.now()) / 1000))
    if (left >= DAY_S) continue
    const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
    const shown = parts[0] > 0 ? parts : parts.slice(1)
    time.textContent = shown.map(part => String(part).padStart(2, '0')).join(':')
  }
}
countDown()
setInterval(countDown, 1000)

/* The counter stays awake, and says that it was paid by a sound and a vibration; the next charge is one key away. */
const sound = document.getElementById('sound')
if (sound) {
  sound.checked = localStorage.getItem('sound') !== 'off'
  sound.addEventListener('change', () => {
    localStorage.setItem('sound', sound.checked ? 'on' : 'off')
    if (sound.checked) ring()
  })
  const keepAwake = () => document.hidden || navigator.wakeLock?.request('screen').catch(() => {})
  keepAwake()
  document.addEventListener('visibilitychange', keepAwake)
  let isPaid = document.querySelector('.outcome.paid') !== null
  document.addEventListener('htmx:afterSwap', () => {
    if (isPaid || !document.querySelector('.outcome.paid')) return
    isPaid = true
    if (sound.checked) ring()
    navigator.vibrate?.([200, 100, 200])
    document.querySelector('[data-next]')?.focus()
  })
}
function ring() {
  const audio = new AudioContext()
  for (const [index, hertz] of [880, 1320].entries()) {
    const tone = audio.createOscillator()
    tone.frequency.value = hertz
    tone.connect(audio.destination)
    tone.start(audio.currentTime + index * 0.18)
    tone.stop(audio.currentTime + index * 0.18 + 0.16)
  }
}

/* Answers get their buttons here: they are many, and a button in each would double the page. */
let copiedTexts = 0
function addCopyButtons() {
  const template = document.getElementById('copy-button')
  for (const text of document.querySelectorAll('pre[data-label]:not([id])')) {
    copiedTexts += 1
    text.id = `copied-${copiedTexts}`
    const part = template.content.cloneNode(true)
    part.querySelector('button').dataset.copy = text.id
    part.querySelector('.unseen').textContent = `: ${text.dataset.label}`
    text.after(part)
  }
}
addCopyButtons()
document.addEventListener('htmx:afterSwap', addCopyButtons)

function unfold(button) {
  const isOpen = document.getElementById(button.getAttribute('aria-controls')).classList.toggle('unfolded')
  button.setAttribute('aria-expanded', String(isOpen))
}

/* Where the browser shares nothing, the address is copied. */
async function share(button) {
  const { title } = document
  if (navigator.share) return navigator.share({ title, url: location.href }).catch(() => {})
  await navigator.clipboard?.writeText(location.href)
  button.parentElement.querySelector('.copied').textContent = button.dataset.copied
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy)
  if (field.select) field.select()
  else getSelection().selectAllChildren(field)
  try {
    await navigator.clipboard.writeText(field.value ?? field.textContent)
  } catch {
    document.execCommand('copy')
  }
  const copiedNote = button.parentElement.querySelector('.copied')
  if (copiedNote) copiedNote.textContent = button.dataset.copied
}
