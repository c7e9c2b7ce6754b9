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

export type PageRenderer = {
  renderGuidePage(page: GuidePage): string
  /** Renders a document of the repository, in the frame of the English guide. */
  renderDocumentPage(document: RepositoryDocument): string
}

/** Creates the renderer of the pages under `/docs`. Each page is rendered once. */
export function createPageRenderer(
  views: ViewRenderer,
  urls: { assets: AssetUrls; searchLibrary: string },
): PageRenderer {
  const bodies = new Map<string, string>()
  const renderOnce = (path: string, render: () => string): string => {
    const body = bodies.get(path) ?? render()
    bodies.set(path, body)
    return body
  }

  const renderPage = (page: { language: GuideLanguage; path: string; document: RepositoryDocument }) => {
    const { language, path, document } = page
    const phrases = GUIDE_PHRASES[language]
    const pages = GUIDE_PAGES[language]
    const index = pages.findIndex(one => one.path === path)
    return views.render('document', {
      ...urls,
      ...renderMarkdown(readRepositoryDocument(document), { file: document.file, phrases }),
      language,
      phrases,
      path,
      title: document.title,
      home: guidePath(language, 'index'),
      groups: listSidebarGroups(language),
      others: OTHER_DOCUMENTS,
      isOther: index < 0,
      languages: GUIDE_LANGUAGES.map(other => ({
        ...GUIDE_PHRASES[other],
        path: index < 0 ? guidePath(other, 'index') : guidePath(other, document.name),
      })),
      previous: index > 0 ? pages[index - 1] : undefined,
      next: index < 0 ? undefined : pages[index + 1],
    })
  }

  return {
    renderGuidePage: page => renderOnce(page.path, () => renderPage({ ...page, document: page })),
    renderDocumentPage: document => {
      const path = `/docs/${document.name}`
      return renderOnce(path, () => renderPage({ language: 'en', path, document }))
    },
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
  groups.at(-1)!.pages.push({ path: '/docs/reference', title: GUIDE_PHRASES[language].reference })
  return groups
}

const OTHER_DOCUMENTS: SidebarLink[] = DOCUMENTS.map(({ name, title }) => ({ path: `/docs/${name}`, title }))
