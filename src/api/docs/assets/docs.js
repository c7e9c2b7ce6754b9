/* Pages of the documentation: search, copy buttons, and the section being read. They work without it, too. */

for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false
  const label = button.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent.trimEnd())
    button.textContent = button.dataset.copied
    setTimeout(() => {
      button.textContent = label
    }, 2_000)
  })
}

const links = new Map(
  [...document.querySelectorAll('.toc a')].map(link => [decodeURIComponent(link.hash.slice(1)), link]),
)
const observer = new IntersectionObserver(
  entries => {
    const read = entries.find(entry => entry.isIntersecting)
    if (!read) return
    for (const [id, link] of links) link.classList.toggle('here', id === read.target.id)
  },
  { rootMargin: '0px 0px -70% 0px' },
)
for (const id of links.keys()) observer.observe(document.getElementById(id))

/** Lower case without accents, so that `cobranca` finds `Cobrança`. */
const normalizeTerm = term => term.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')

const form = document.querySelector('form.search')
const input = form.querySelector('input')
const results = document.querySelector('#results')
form.hidden = false
form.addEventListener('submit', event => {
  event.preventDefault()
  results.querySelector('a')?.click()
})

/** Words, and the parts of a name: `total_value` is found by `value`, too. */
const splitIntoTerms = text =>
  (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap(word =>
    word.includes('_') ? [word, ...word.split('_')] : [word],
  )

let loading
/** Loads the library and the sections once, when the search is first used. */
function loadIndex() {
  loading ??= Promise.all([
    import(form.dataset.library),
    fetch(form.dataset.index).then(it => it.json()),
  ]).then(([{ default: MiniSearch }, sections]) => {
    const index = new MiniSearch({
      fields: ['title', 'page', 'text'],
      storeFields: ['title', 'page', 'url', 'text'],
      processTerm: normalizeTerm,
      tokenize: splitIntoTerms,
      searchOptions: {
        boost: { title: 4, page: 2 },
        // What client developers read comes before the documents for operators, and the start of a page before its sections.
        boostDocument: (_id, _term, { url, title, page }) =>
          /^\/docs\/(en|pt|reference)\b/.test(url) ? (title === page ? 4 : 2) : 1,
        prefix: true,
        fuzzy: term => (term.length > 4 ? 0.2 : false),
      },
    })
    index.addAll(sections)
    return index
  })
  return loading
}

async function showResults() {
  const query = input.value.trim()
  const found = query === '' ? [] : findSections(await loadIndex(), query)
  if (query !== input.value.trim()) return
  results.hidden = query === ''
  results.replaceChildren(...found.map(buildResult))
  if (found.length === 0) results.textContent = `${form.dataset.none} “${query}”`
}

/** Sections with all terms, or else with some. */
function findSections(index, query) {
  const whole = index.search(query, { combineWith: 'AND' })
  return (whole.length > 0 ? whole : index.search(query)).slice(0, 12)
}

function buildResult({ url, title, page, text, terms }) {
  const link = document.createElement('a')
  link.href = url
  const [name, place, excerpt] = ['strong', 'small', 'span'].map(tag => document.createElement(tag))
  name.textContent = title
  place.textContent = page === title ? '' : page
  excerpt.textContent = excerptOf(text, terms)
  link.append(name, place, excerpt)
  return link
}

/** The text around the first term that was found. */
function excerptOf(text, terms) {
  const plain = normalizeTerm(text)
  const at = Math.max(
    0,
    Math.min(...terms.map(term => plain.indexOf(term)).filter(place => place >= 0), text.length),
  )
  const start = at > 40 && at < text.length ? text.indexOf(' ', at - 40) : 0
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 110).trim()}${text.length > start + 110 ? ' …' : ''}`
}

input.addEventListener('focus', loadIndex)
input.addEventListener('input', showResults)
document.addEventListener('keydown', event => {
  const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
  if (event.key === '/' && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    form.closest('details').open = true
    input.focus()
  }
  if (event.key === 'Escape' && form.contains(document.activeElement)) {
    input.value = ''
    results.hidden = true
    input.blur()
  }
  if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && form.contains(document.activeElement)) {
    const stops = [input, ...results.querySelectorAll('a')]
    const next = stops[stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next) {
      event.preventDefault()
      next.focus()
    }
  }
})
document.addEventListener('click', event => {
  if (!form.contains(event.target)) results.hidden = true
})
