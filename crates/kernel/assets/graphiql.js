// Starts GraphiQL with the session of whoever looks at the page.
(() => {
  // The style elements that its menus and dialogs make carry the page's nonce.
  window.__webpack_nonce__ = document.currentScript.nonce;
  const place = document.getElementById('explorer');
  if (!window.React || !window.ReactDOM || !window.GraphiQL) {
    document.getElementById('explorer-state').textContent =
      'The explorer could not be loaded: a file is out of reach, or is not the one this page expects.';
    return;
  }

  async function fetcher(asked, { headers } = {}) {
    const answer = await fetch('/api/graphql', {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(place.dataset.csrf && { 'X-CSRF-Token': place.dataset.csrf }),
        ...headers,
      },
      body: JSON.stringify(asked),
    });
    return answer.json();
  }

  const defaultQuery = `# Ctrl-Enter runs what stands here, Ctrl-Space completes it.
{
  currentUser {
    username
    name
  }
  queryComplexity {
    score
    limit
  }
}
`;
  // Headers may hold tokens, so nobody is offered to keep them.
  const props = { fetcher, defaultQuery, showPersistHeadersSettings: false };
  const root = window.ReactDOM.createRoot(place);
  root.render(window.React.createElement(window.GraphiQL, props));
})();
