// Choices kept in the browser's local storage. Where that is forbidden or full, a choice lasts as long as the
// page.

export function remembered(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `value` undefined: forgotten. False where the browser keeps nothing. */
export function remember(key: string, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Whether anything is kept under a name that begins so. */
export function isRemembered(start: string): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(start));
  } catch {
    return false;
  }
}
