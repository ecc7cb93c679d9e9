/** The watch list on the start page: its news, or how to make one. The news are loaded only with a list. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useSession } from '../../data/use.ts'
import { link } from '../../router.ts'
import { watchText } from '../../watch/kept-text.ts'

type News = ComponentType<{ parent: string }>

/** Whether the browser has a list with entries. Each is a text in a list. */
export const hasWatchList = (): boolean => /\[\s*"/.test(watchText.read() ?? '')

export function Watched({ parent }: { parent: string | null }) {
  const { past } = useSession()
  const [news, setNews] = useState<{ News: News } | null>()
  useEffect(() => {
    import('./watch-news.tsx').then(
      ({ WatchNews }) => setNews({ News: WatchNews }),
      () => setNews(null),
    )
  }, [])
  const isCompared = past === null && parent !== null
  return (
    <section class={isCompared ? 'watch-news' : undefined} aria-labelledby="watched">
      <h2 id="watched">
        <a href={link(['watch'])}>Your watch list</a>
      </h2>
      {past !== null ? (
        <p>
          See the <a href={link(['changes'], { watched: true })}>changes of the watch list</a>.
        </p>
      ) : parent === null ? (
        <p>There is no previous snapshot to compare with.</p>
      ) : news ? (
        <news.News parent={parent} />
      ) : news === null ? (
        <p>The code for the news could not be loaded. Reload the page.</p>
      ) : null}
    </section>
  )
}

export function WatchInvitation() {
  return (
    <p class="about">
      <a href={link(['watch'])}>Make a watch list</a> of vendors, products, packages and CVEs to see their news here.
    </p>
  )
}
