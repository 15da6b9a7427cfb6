// Opens the page of `tfprof serve`.

import { start } from "./app";

start().catch((error) => {
  const content = document.getElementById("content");
  if (content)
    content.textContent = `The page cannot be shown: ${error.message}`;
  console.error(error);
});
