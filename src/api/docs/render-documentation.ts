import { join } from 'node:path'
import type { AssetUrls } from '../../views/assets.ts'
import { createViewRenderer } from '../../views/view-renderer.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import type { DocumentationFiles } from './documentation-files.ts'
import {
  DECISIONS,
  DOCUMENT_IMAGES,
  DOCUMENTS,
  RUNBOOKS,
  readDocumentImage,
  readRepositoryDocument,
} from './documents.ts'
import { GUIDE_LANGUAGES, GUIDE_PAGES, type GuideLanguage } from './guide-pages.ts'
import { GUIDE_PHRASES } from './guide-phrases.ts'
import { createPageRenderer } from './pages.ts'
import { REFERENCE_PATH, writeReference } from './reference.ts'
import { listSearchSections } from './search-sections.ts'

/** What the documentation is rendered from: all routes of the API, and where the assets of its pages are served. */
type DocumentationSource = { routes: AnyRoute[]; assets: AssetUrls }

/**
 * Lists all files of the documentation: `/openapi.json` for programs, generated from the routes; under `/docs` the guide in
 * each language, the API reference, the documents of the repository with their images, and the index of the search.
 */
export function renderDocumentation({ routes, assets }: DocumentationSource): DocumentationFiles {
  const files: DocumentationFiles = new Map()
  const addFile = (path: string, render: () => string | Buffer) => files.set(path, renderOnce(render))
  const openApi = buildOpenApiDocument(routes)
  const pages = createPageRenderer(createViewRenderer(join(import.meta.dirname, 'views')), assets)

  addFile('/openapi.json', () => JSON.stringify(openApi))
  addFile(REFERENCE_PATH, () => pages.renderReferencePage(writeReference(openApi)))
  for (const name of DOCUMENT_IMAGES) addFile(`/docs/images/${name}`, () => readDocumentImage(name))
  for (const language of GUIDE_LANGUAGES) {
    for (const page of GUIDE_PAGES[language]) addFile(page.path, () => pages.renderGuidePage(page))
    addFile(`/docs/search/${language}.json`, () => {
      const { reference } = GUIDE_PHRASES[language]
      return JSON.stringify(
        listSearchSections(listSearchedPages(language), listOperations(openApi), reference),
      )
    })
  }
  for (const document of [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS])
    addFile(`/docs/${document.name}`, () => pages.renderDocumentPage(document))
  return files
}

function renderOnce(render: () => string | Buffer): () => string | Buffer {
  let rendered: string | Buffer | undefined
  return () => {
    rendered ??= render()
    return rendered
  }
}

function listSearchedPages(language: GuideLanguage) {
  const documents = DOCUMENTS.map(document => ({ ...document, path: `/docs/${document.name}` }))
  return [...GUIDE_PAGES[language], ...documents].map(document => ({
    title: document.title,
    path: document.path,
    markdown: readRepositoryDocument(document),
  }))
}

function listOperations({ paths }: ReturnType<typeof buildOpenApiDocument>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary }]) => ({
      path,
      method,
      operationId: String(operationId),
      summary: String(summary),
    })),
  )
}
