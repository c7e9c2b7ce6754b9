import { join } from 'node:path'
import { marked, type Tokens } from 'marked'
import type { AssetUrls } from '../../views/assets.ts'
import { createViewRenderer } from '../../views/view-renderer.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import { type DocumentationFiles, once } from './documentation-files.ts'
import {
  DECISIONS,
  DOCUMENT_IMAGES,
  DOCUMENTS,
  type RepositoryDocument,
  RUNBOOKS,
  readDocumentImage,
  readRepositoryDocument,
} from './documents.ts'
import {
  GUIDE_GROUPS,
  GUIDE_LANGUAGES,
  GUIDE_PAGES,
  GUIDE_PHRASES,
  type GuideLanguage,
  type GuidePage,
  guidePath,
} from './guide-pages.ts'
import { renderMarkdown, toHeadingId } from './markdown.ts'
import { REFERENCE_PATHS, titleOperation, writeReference } from './reference.ts'

/** What the documentation is rendered from: all routes of the API, and where the assets of its pages are served. */
type DocumentationSource = { routes: AnyRoute[]; assets: AssetUrls }

/**
 * Lists all files of the documentation: `/openapi.json` for programs, generated from the routes; under `/docs` the guide in
 * each language, the API reference, the documents of the repository with their images, and the index of the search.
 */
export function renderDocumentation({ routes, assets: urls }: DocumentationSource): DocumentationFiles {
  const { 'search.js': searchLibrary, ...assets } = urls
  const files: DocumentationFiles = new Map()
  const addFile = (path: string, render: () => string | Buffer) => files.set(path, once(render))
  const openApi = buildOpenApiDocument(routes)
  const views = createViewRenderer(join(import.meta.dirname, 'views'))
  const addPage = (page: DocumentationPage, readMarkdown = () => readRepositoryDocument(page)) =>
    addFile(page.path, () =>
      views.render('document', { assets, searchLibrary, ...describePage(page, readMarkdown()) }),
    )

  addFile('/openapi.json', () => JSON.stringify(openApi))
  for (const name of DOCUMENT_IMAGES) addFile(`/docs/images/${name}`, () => readDocumentImage(name))
  for (const language of GUIDE_LANGUAGES) {
    for (const page of GUIDE_PAGES[language]) addPage(page)
    addPage(describeReferencePage(language), () => writeReference(openApi, language))
    addFile(`/docs/search/${language}.json`, () => JSON.stringify(listSearchSections(language, openApi)))
  }
  for (const document of [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS]) addPage({ ...document, language: 'en' })
  return files
}

/** A page under `/docs`; those of the repository are in the frame of the English guide. */
type DocumentationPage = Omit<GuidePage, 'name'>

/** Describes the page of the API reference in a language. */
const describeReferencePage = (language: GuideLanguage): DocumentationPage => ({
  language,
  path: REFERENCE_PATHS[language],
  title: GUIDE_PHRASES[language].reference,
  file: 'openapi.json',
})

/** Describes a page for its view. */
function describePage({ language, path, title, file }: DocumentationPage, markdown: string) {
  const phrases = GUIDE_PHRASES[language]
  const pages = GUIDE_PAGES[language]
  const index = pages.findIndex(one => one.path === path)
  const isReference = path === REFERENCE_PATHS[language]
  return {
    ...renderMarkdown(markdown, { file, phrases }),
    language,
    phrases,
    path,
    title,
    home: guidePath(language, 'index'),
    groups: listSidebarGroups(language),
    others: DOCUMENTS,
    isOther: index < 0 && !isReference,
    languages: GUIDE_LANGUAGES.map(other => ({
      ...GUIDE_PHRASES[other],
      path: isReference ? REFERENCE_PATHS[other] : guidePath(other, pages[index]?.name ?? 'index'),
    })),
    previous: index > 0 ? pages[index - 1] : undefined,
    next: index < 0 ? undefined : pages[index + 1],
  }
}

type SidebarGroup = { title: string; pages: Pick<GuidePage, 'path' | 'title'>[] }

/** Lists the groups of the guide; the API reference is the last page to look up. */
function listSidebarGroups(language: GuideLanguage): SidebarGroup[] {
  const groups = GUIDE_GROUPS.map(
    ({ title, names }): SidebarGroup => ({
      title: title[language],
      pages: names.flatMap(name => GUIDE_PAGES[language].filter(page => page.name === name)),
    }),
  )
  groups.at(-1)!.pages.push({ path: REFERENCE_PATHS[language], title: GUIDE_PHRASES[language].reference })
  return groups
}

/** A section of a page, as the search of the browser indexes it by its number. */
type SearchSection = { title: string; page: string; url: string; text: string }

/** Lists the sections of a language's guide and of the documents, and the operations of the API reference, for the search. */
function listSearchSections(language: GuideLanguage, { paths }: ReturnType<typeof buildOpenApiDocument>) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary } = operation as { operationId: string; summary: string }
      const title = titleOperation({ operationId, summary }, language)
      return {
        title,
        page: GUIDE_PHRASES[language].reference,
        url: `${REFERENCE_PATHS[language]}#${toHeadingId(title)}`,
        text: `${operationId} ${method.toUpperCase()} ${path}`,
      }
    }),
  )
  const sections = [...[...GUIDE_PAGES[language], ...DOCUMENTS].flatMap(splitIntoSections), ...operations]
  return sections.map((section, id) => ({ id, ...section }))
}

/** Splits a page at its headings. The first row about a code or field, which has an anchor, is a section of its own. */
function splitIntoSections({ title: page, path, file }: RepositoryDocument): SearchSection[] {
  let section: SearchSection = { title: page, page, url: path, text: '' }
  const sections = [section]
  const terms = new Set<string>()
  const addText = (text: string) => {
    section.text = `${section.text} ${toPlainText(text)}`.trim()
  }
  for (const token of marked.lexer(readRepositoryDocument({ file }))) {
    if (token.type === 'heading' && token.depth > 1 && token.depth <= 3) {
      const title = toPlainText(token.text)
      section = { title, page, url: `${path}#${toHeadingId(title)}`, text: '' }
      sections.push(section)
    } else if (token.type === 'table') {
      for (const [first, ...otherCells] of (token as Tokens.Table).rows) {
        const [, term = ''] = /^`([^`]+)`$/.exec(first?.text ?? '') ?? []
        const text = otherCells.map(cell => cell.text).join(' ')
        if (term === '' || terms.has(term)) addText(`${first?.text} ${text}`)
        else
          sections.push({
            title: term,
            page,
            url: `${path}#${encodeURIComponent(term)}`,
            text: toPlainText(text),
          })
        terms.add(term)
      }
    } else if (token.type !== 'heading') addText(token.raw)
  }
  return sections
}

/** Removes comments, link targets, fences, table lines and marks from Markdown. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->|^```\w*$|^\|[ |:-]+\|$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|>]|^#+ /gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
