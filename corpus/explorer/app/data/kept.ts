/** Texts that the browser keeps. If it blocks storage, they last as long as the page. */

export interface Kept {
  read(): string | null
  /** Returns whether the browser has stored it. */
  store(text: string): boolean
  forget(): void
}

/** `storage` is a function, because browsers that block storage throw when it is read. */
export function kept(storage: () => Storage, name: string): Kept {
  let unstored: string | null = null
  const attempt = <T>(work: (items: Storage) => T): T | null => {
    try {
      return work(storage())
    } catch {
      return null
    }
  }
  return {
    read: () => unstored ?? attempt((items) => items.getItem(name)),
    store(text) {
      const isStored = attempt((items) => {
        items.setItem(name, text)
        return true
      })
      unstored = isStored ? null : text
      return isStored === true
    },
    forget() {
      unstored = null
      attempt((items) => items.removeItem(name))
    },
  }
}
