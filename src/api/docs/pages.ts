import type { AssetUrls } from '../../views/assets.ts'
import type { ViewRenderer } from '../../views/view-renderer.ts'
import { DOCUMENTS, type RepositoryDocument, readRepositoryDocument } from './documents.ts'
import {
  GUIDE_GROUPS,
  GUIDE_LANGUAGES,
  GUIDE_PAGES,
  type GuideLanguage,
  type GuidePage,
  guidePath,
} from './guide-pages.ts'
import { GUIDE_PHRASES } from './guide-phrases.ts'
import { renderMarkdown } from './markdown.ts'
import { REFERENCE_PATH } from './reference.ts'

export type PageRenderer = {
  renderGuidePage(page: GuidePage): string
  /** Renders a document of the repository, in the frame of the English guide. */
  renderDocumentPage(document: RepositoryDocument): string
  /** Renders the API reference, which is in English, from its Markdown. */
  renderReferencePage(markdown: string): string
}

type RenderedPage = { language: GuideLanguage; path: string; title: string; file: string; markdown: string }

/** Creates the renderer of the pages under `/docs`. */
export function createPageRenderer(views: ViewRenderer, urls: AssetUrls): PageRenderer {
  const { 'search.js': searchLibrary, ...assets } = urls

  const renderPage = ({ language, path, title, file, markdown }: RenderedPage) => {
    const phrases = GUIDE_PHRASES[language]
    const pages = GUIDE_PAGES[language]
    const index = pages.findIndex(one => one.path === path)
    return views.render('document', {
      assets,
      searchLibrary,
      ...renderMarkdown(markdown, { file, phrases }),
      language,
      phrases,
      path,
      title,
      home: guidePath(language, 'index'),
      groups: listSidebarGroups(language),
      others: OTHER_DOCUMENTS,
      isOther: index < 0 && path !== REFERENCE_PATH,
      languages: GUIDE_LANGUAGES.map(other => ({
        ...GUIDE_PHRASES[other],
        path: guidePath(other, pages[index]?.name ?? 'index'),
      })),
      previous: index > 0 ? pages[index - 1] : undefined,
      next: index < 0 ? undefined : pages[index + 1],
    })
  }

  return {
    renderGuidePage: page => renderPage({ ...page, markdown: readRepositoryDocument(page) }),
    renderDocumentPage: document =>
      renderPage({
        ...document,
        language: 'en',
        path: `/docs/${document.name}`,
        markdown: readRepositoryDocument(document),
      }),
    renderReferencePage: markdown =>
      renderPage({
        language: 'en',
        path: REFERENCE_PATH,
        title: GUIDE_PHRASES.en.reference,
        file: 'openapi.json',
        markdown,
      }),
  }
}

type SidebarLink = Pick<GuidePage, 'path' | 'title'>

/** The groups of the guide; the API reference is the last page to look up. */
function listSidebarGroups(language: GuideLanguage): { title: string; pages: SidebarLink[] }[] {
  const pages = GUIDE_PAGES[language]
  const groups: { title: string; pages: SidebarLink[] }[] = GUIDE_GROUPS.map(({ title, names }) => ({
    title: title[language],
    pages: names.flatMap(name => pages.filter(page => page.name === name)),
  }))
  groups.at(-1)!.pages.push({ path: REFERENCE_PATH, title: GUIDE_PHRASES[language].reference })
  return groups
}

const OTHER_DOCUMENTS: SidebarLink[] = DOCUMENTS.map(({ name, title }) => ({ path: `/docs/${name}`, title }))
