import { z } from 'zod'
import type { Routes } from '../app.ts'
import {
  DECISIONS,
  DOCUMENTS,
  documentPage,
  IMAGES,
  imageFile,
  RUNBOOKS,
} from '../documentation/documents.ts'
import { framed, type Page, POLICY } from '../documentation/frame.ts'
import { openApi } from '../openapi/document.ts'
import { referencePage } from '../openapi/page.ts'
import { route } from '../route.ts'

/** The merchants' interface, told by its routes: for machines at `/openapi.json`, for people at `/docs`; and what is written beside it. */
export const documentationRoutes: Routes = router => {
  // At the first request: by then every route has registered itself.
  const document = once(() => openApi(router.described.filter(({ path }) => /^\/(api\/|\w+z$)/.test(path))))
  const json = once(() => JSON.stringify(document()))
  const reference = once(() => pageText(referencePage(document())))
  const pages = new Map(SERVED.map(one => [one.name, once(() => pageText(documentPage(one)))]))

  route(router, {
    method: 'get',
    path: '/openapi.json',
    summary: 'The OpenAPI document',
    tokens: 'none',
    answers: { 200: 'application/json' },
    async handle() {
      return { body: json() }
    },
  })

  route(router, {
    method: 'get',
    path: '/docs',
    summary: 'The documentation',
    tokens: 'none',
    answers: { 200: 'text/html' },
    async handle() {
      return { body: reference(), headers: HEADERS }
    },
  })

  route(router, {
    method: 'get',
    path: '/docs/:name',
    summary: 'A document',
    tokens: 'none',
    params: z.object({ name: z.enum(SERVED.map(({ name }) => name)) }),
    answers: { 200: 'text/html' },
    async handle({ params }) {
      return { body: pages.get(params.name)!(), headers: HEADERS }
    },
  })

  route(router, {
    method: 'get',
    path: '/docs/images/:name',
    summary: 'A picture of a document',
    tokens: 'none',
    params: z.object({ name: z.enum(IMAGES) }),
    answers: { 200: 'image/png' },
    async handle({ params }) {
      return { body: imageFile(params.name) }
    },
  })
}

const HEADERS = { 'Content-Security-Policy': POLICY }
const SERVED = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS]
const NEIGHBOURS = [...DOCUMENTS, { name: '', title: 'API reference' }]

function pageText(page: Page): string {
  return framed(page, NEIGHBOURS)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
