// Copies the code, and reloads the page once the order is paid: the page then says what the shop knows.
;(() => {
  const POLL_MS = 5_000
  // A payment of the last seconds is confirmed a little later.
  const GRACE_S = 120

  const section = document.querySelector('[data-trilho-pix]')
  if (!section) return
  const { trilhoPix: url, expires, copied } = section.dataset
  const code = section.querySelector('textarea')
  const button = section.querySelector('button')

  button.addEventListener('click', async () => {
    code.select()
    try {
      await navigator.clipboard.writeText(code.value)
    } catch {
      // Pages without TLS have no clipboard.
      document.execCommand('copy')
    }
    button.textContent = copied
  })

  async function poll() {
    try {
      const response = await fetch(url, { cache: 'no-store' })
      if (response.ok && (await response.json()).status !== 'waiting') {
        window.location.reload()
        return
      }
    } catch {
      // Without a connection the next one tells.
    }
    if (Date.now() / 1_000 < Number(expires) + GRACE_S) setTimeout(poll, POLL_MS)
  }
  setTimeout(poll, POLL_MS)
})()
