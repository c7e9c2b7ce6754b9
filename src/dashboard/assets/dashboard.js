/* What pages can do besides being read; without it they are read all the same. */
document.documentElement.classList.add('scripted')

document.addEventListener('click', event => {
  const button = event.target.closest('button')
  if (!button) return
  if (button.hasAttribute('data-menu')) unfold(button)
  if (button.dataset.copy) copy(button)
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
