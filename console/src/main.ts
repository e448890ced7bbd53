// The console's page.
document.querySelector("main")?.append("Hopbook");
