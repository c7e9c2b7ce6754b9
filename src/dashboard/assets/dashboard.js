/* Progressive enhancement: every page works without this script. */
document.documentElement.classList.add('scripted')

document.addEventListener('click', event => {
  const button = event.target.closest('button')
  if (!button) return
  if (button.hasAttribute('data-menu')) unfold(button)
  if (button.dataset.copy) copy(button)
})

/* Submits a form once, however often its button is pressed before the next page loads; after navigating back it may be submitted again. */
document.addEventListener('submit', event => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'true'
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
})

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

function unfold(button) {
  const isOpen = document.getElementById(button.getAttribute('aria-controls')).classList.toggle('unfolded')
  button.setAttribute('aria-expanded', String(isOpen))
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy)
  field.select()
  try {
    await navigator.clipboard.writeText(field.value)
  } catch {
    document.execCommand('copy')
  }
  const said = button.parentElement.querySelector('.copied')
  if (said) said.textContent = button.dataset.copied
}
