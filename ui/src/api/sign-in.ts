/** To the page where one signs in, and afterwards back here or to the given place. */
export function goToSignIn(next = window.location.pathname + window.location.search): void {
  window.location.assign(`/sign-in?next=${encodeURIComponent(next)}`);
}
